/** The reservations that a command names, each once. */
export function namedIn({
  settlements,
  activities,
}: {
  settlements: readonly { reservation: string }[];
  activities: readonly { reservation: string }[];
}): string[] {
  return [...new Set([...settlements, ...activities].map(({ reservation }) => reservation))];
}
