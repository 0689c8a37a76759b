/**
 * Lines that scroll, and on a terminal a panel that stays below them. Elsewhere (a file, a pipe) there are plain lines
 * only. Nothing of a model or a document gets here but through `oneLine`.
 */
import type { Writable } from 'node:stream';

export interface ScreenTarget extends Writable {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

const DEFAULT_COLUMNS = 80;

export class Screen {
  private panelLines: readonly string[] = [];
  private drawn = 0;

  constructor(private readonly target: ScreenTarget) {}

  get live(): boolean {
    return this.target.isTTY === true;
  }

  line(text: string): void {
    this.erase();
    this.target.write(`${text}\n`);
    this.draw();
  }

  lines(texts: readonly string[]): void {
    if (texts.length > 0) this.line(texts.join('\n'));
  }

  /** Replaces the panel; ignored where there is no terminal. */
  panel(lines: readonly string[]): void {
    if (!this.live) return;
    this.erase();
    this.panelLines = lines;
    this.draw();
  }

  /** Leaves the panel standing as lines. */
  end(): void {
    this.panelLines = [];
    this.drawn = 0;
  }

  private erase(): void {
    if (this.drawn > 0) this.target.write(`\u001b[${this.drawn}A\u001b[0J`);
    this.drawn = 0;
  }

  /** A line that wraps would be counted wrong when it is erased: it is cut at the edge. */
  private draw(): void {
    if (this.panelLines.length === 0) return;
    // A terminal whose size nobody has set says 0.
    const width = Math.max(20, (this.target.columns || DEFAULT_COLUMNS) - 1);
    const cut = this.panelLines.map((line) => [...line].slice(0, width).join(''));
    this.target.write(`${cut.join('\n')}\n`);
    this.drawn = cut.length;
  }
}
