import { spawnSync } from 'node:child_process'

interface RunOptions {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
}

/** Runs a program to its end. @returns its standard output; @throws Error with its output */
export function run(program: string, args: readonly string[], { cwd, env }: RunOptions): string {
  const result = spawnSync(program, args, {
    cwd,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    env: { ...process.env, ...env },
  })
  if (result.error) throw new Error(`${program} could not be run: ${result.error.message}`)
  if (result.status === 0) return result.stdout
  throw new Error(`${program} ${args[0]}: ${result.stdout}${result.stderr}`)
}
