import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { StubProviderContext } from '../../server/src/connect/oauth-flow/test/stub-provider-context.ts'
import { testContext } from '../../server/test/test-context.ts'
import type { Io } from '../src/io.ts'
import { run } from '../src/run.ts'

/** How a command ended, and what it printed. */
export interface RunResult {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions extends Partial<Omit<Io, 'stdin' | 'stdout' | 'stderr'>> {
  readonly stdin?: string
  /** Called with what it prints, while it runs. */
  readonly onStdout?: (text: string) => void
  /** The width of a terminal. Without one, standard output is a pipe. */
  readonly columns?: number
}

/** A service that listens, and its command line. */
export interface CliTestContext {
  readonly t: StubProviderContext
  readonly baseUrl: string
  /** A temporary folder, which is the home of the person too. */
  readonly folder: string
  /** Runs a command with the token of the owner. */
  run(args: readonly string[], options?: RunOptions): Promise<RunResult>
  close(): Promise<void>
}

export async function startCliTestContext(): Promise<CliTestContext> {
  const t = await testContext({ provider: true, logLevel: 'warn' })
  const baseUrl = await t.app.listen({ port: 0, host: '127.0.0.1' })
  const folder = mkdtempSync(path.join(tmpdir(), 'cli-'))
  const env = { HOME: folder, LINCHPIN_URL: baseUrl, LINCHPIN_TOKEN: t.token, NO_COLOR: '1' }
  return {
    t,
    baseUrl,
    folder,
    run: (args, options = {}) => runCli(args, { env, ...options }),
    close: async () => {
      await t.close()
      rmSync(folder, { recursive: true })
    },
  }
}

/** Runs a command in this process. */
export async function runCli(
  args: readonly string[],
  { stdin = '', columns, onStdout, ...options }: RunOptions,
): Promise<RunResult> {
  const printed = { stdout: '', stderr: '' }
  const exitCode = await run(args, {
    env: {},
    stdin: Readable.from([stdin]),
    stdout: {
      write: (text) => {
        printed.stdout += text
        onStdout?.(text)
      },
      isTTY: columns !== undefined,
      columns,
    },
    stderr: {
      write: (text) => {
        printed.stderr += text
      },
    },
    fetch: (input, init) => fetch(input, init),
    now: Date.now,
    // Tests do not wait for what commands wait for.
    sleep: async () => setImmediate(),
    signal: new AbortController().signal,
    openUrl: () => {},
    runProgram: async () => 0,
    ...options,
  })
  return { exitCode, ...printed }
}
