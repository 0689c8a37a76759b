/** Lines and rows with their character offsets in the text that is read. */
export interface Row {
  cells: string[];
  start: number;
  end: number;
}

export interface Line {
  text: string;
  start: number;
  end: number;
}

export const indent = (text: string): number => text.length - text.trimStart().length;
