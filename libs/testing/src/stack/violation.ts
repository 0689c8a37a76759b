export interface Violation {
  readonly invariant: string;
  readonly run: string;
  readonly what: string;
}

export interface RunRow {
  readonly id: string;
  readonly state: string;
  readonly ends: number;
  readonly outcome: string | null;
  readonly code: string | null;
}
