import preset from '../../jest.preset.mjs';
// Real servers on a busy machine: no test waits that long for anything but trouble.
export default { ...preset, displayName: 'messaging', testTimeout: 30_000 };
