/** Whether a message is what docs/asyncapi.json says of it; by a validator that knows nothing of the contracts. */
import Ajv from 'ajv';

/**
 * @param {object} api the document
 * @returns {(message: string, payload: unknown) => string[]} what is wrong with a payload, by the message's name
 */
export function fits(api) {
  const { messages, schemas } = JSON.parse(
    JSON.stringify(api).replaceAll('#/components/schemas/', '#/definitions/'),
  ).components;
  const ajv = new Ajv({ schemaId: '$id', jsonPointers: true });
  /** @type {Map<string, import('ajv').ValidateFunction>} */
  const known = new Map();
  return (message, payload) => {
    if (!messages[message]) throw new Error(`asyncapi.json has no message ${message}`);
    const validate = known.get(message) ?? ajv.compile({ ...messages[message].payload, definitions: schemas });
    known.set(message, validate);
    if (validate(payload)) return [];
    return (validate.errors ?? []).map(({ dataPath, message: why }) => `${message}${dataPath} ${why}`);
  };
}
