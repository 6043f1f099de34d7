import type { Linchpin } from '@linchpin/sdk'
import type { Io } from './io.ts'
import type { ProfileStore } from './profile-store.ts'

/** An option of a command: `--name`. */
export interface Flag {
  readonly name: string
  readonly description: string
  /** What stands for its value in the help. A flag without one is a switch. */
  readonly value?: string
  readonly isMultiple?: boolean
  /** One character: `-X`. */
  readonly short?: string
}

/** What was typed after the name of a command. */
export interface CommandInput {
  readonly positionals: readonly string[]
  /** The last value of an option. */
  get(name: string): string | undefined
  getAll(name: string): readonly string[]
  has(name: string): boolean
}

/** What commands use. */
export interface CommandContext {
  readonly io: Io
  readonly profiles: ProfileStore
  /** The profile of `--profile`. */
  readonly profileName: string
  /** The URL of `--url`. */
  readonly url: string | undefined
  /** The value of `--token`: `@FILE`, or `-` for standard input. */
  readonly token: string | undefined
  /** Whether results are JSON lines. */
  readonly isJson: boolean
  /** The API with the token of the profile. @throws UsageError without a token */
  connect(): Promise<Linchpin>
}

interface CommandName {
  /** One word or two: `whoami`, `events tail`. */
  readonly name: string
  readonly summary: string
  /** Whether it works on the service itself, not through its API. */
  readonly isForOperators?: boolean
}

/** A command whose options are parsed for it. */
export interface ParsedCommand extends CommandName {
  /** More about it, for its help. */
  readonly description?: string
  /** `name?` may be missing; of `name...?` there may be any number. */
  readonly positionals: readonly string[]
  readonly flags: readonly Flag[]
  /** Resolves to the exit code; nothing is 0. */
  run(input: CommandInput, context: CommandContext): Promise<number | undefined>
}

/** A command that parses its own arguments. */
export interface RawCommand extends CommandName {
  /** What `--help` prints. Without it, the command prints its help itself. */
  readonly help?: string
  runRaw(args: readonly string[], context: CommandContext): Promise<number>
}

export type Command = ParsedCommand | RawCommand
