/** A reservation is named by the sequence number of its `ReservationGranted` in base 36: short, and it finds the fact. */
export function reservationId(sequence: number): string {
  return sequence.toString(36);
}

/** The sequence number; undefined for what can be no reservation of ours. */
export function reservationNumber(reservation: string): number | undefined {
  if (!/^[1-9a-z][0-9a-z]{0,5}$/.test(reservation)) return undefined;
  const number = Number.parseInt(reservation, 36);
  return number <= 0x7fff_ffff ? number : undefined;
}
