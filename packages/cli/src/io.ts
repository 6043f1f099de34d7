import type { Readable } from 'node:stream'

/** Where a command prints. */
export interface Output {
  write(text: string): unknown
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
}

/** What a command reads: raw mode hides what a person types. */
export type Input = Readable & {
  readonly isTTY?: boolean | undefined
  setRawMode?(isRaw: boolean): unknown
}

/** Everything outside of the program that a command uses. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdin: Input
  /** Results. */
  readonly stdout: Output
  /** Everything else: prompts, progress, errors. */
  readonly stderr: Output
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>
  now(): number
  /** Resolves later, or when `signal` is aborted. */
  sleep(ms: number): Promise<void>
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal
  /** Opens an address in the person's browser. */
  openUrl(url: string): void
  /** Runs another program on this terminal. Resolves to its exit code. */
  runProgram(program: string, args: readonly string[]): Promise<number>
}
