/**
 * Ids of requests as they are sent, letter for letter: `<run>/<n>`, and `<run>.<review>/<epoch>/<n>` for a review. A number
 * that only counts as the same (`01`, `0x1`, `1e0`, ` 1`) was never sent.
 */

/** The number of the run's own request; null for every other spelling. */
export function ownRequest(run: string, id: string): number | null {
  const number = id.startsWith(`${run}/`) ? id.slice(run.length + 1) : '';
  return isNumber(number) ? Number(number) : null;
}

/** `<review>/<request>` of a review's request, whose number does not depend on the epoch; null for every other spelling. */
export function reviewRequest(run: string, id: string): string | null {
  const [review = '', epoch = '', request = '', ...more] = id.startsWith(`${run}.`) ? id.split('/') : [];
  const counted = [review.slice(run.length + 1), epoch, request].every(isNumber);
  return counted && more.length === 0 ? `${review}/${request}` : null;
}

/** Whether an id means this run, in whatever letters, spaces and signs between: another run's requests are its own affair. */
export const namesRun = (run: string, id: string): boolean => digitsOf(id).includes(digitsOf(run));

const digitsOf = (id: string): string =>
  id
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^0-9a-f]/g, '');

const isNumber = (text: string): boolean => /^[1-9]\d{0,14}$/.test(text);
