import { isLinchpinError, LinchpinConnectionError } from '@linchpin/sdk'
import type { Io } from './io.ts'
import { UsageError } from './usage-error.ts'

const REFUSED = 1
const USAGE = 2
const UNREACHABLE = 3
const INTERRUPTED = 130

/** Says on standard error why a command failed. @returns the exit code */
export function reportError(error: unknown, { stderr, signal }: Io): number {
  const say = (text: string) => stderr.write(`linchpin: ${text}\n`)
  if (signal.aborted || (error instanceof Error && error.name === 'AbortError')) return INTERRUPTED
  if (isLinchpinError(error)) {
    if (error.code === 'unexpected_response') {
      say(error.message)
      return UNREACHABLE
    }
    say(`${error.code}: ${error.message}`)
    for (const [field, problems] of Object.entries(error.errors))
      for (const { message } of problems) stderr.write(`  ${field}: ${message}\n`)
    if (error.requestId !== undefined) stderr.write(`  request ${error.requestId}\n`)
    return REFUSED
  }
  if (error instanceof LinchpinConnectionError) {
    say('The service cannot be reached. Check the address (LINCHPIN_URL or --url) and the network.')
    return UNREACHABLE
  }
  // The SDK throws a TypeError for an ID that cannot be one.
  if (error instanceof UsageError || error instanceof TypeError) {
    say(error.message)
    return error instanceof UsageError ? error.exitCode : USAGE
  }
  const { code } = Object(error) as NodeJS.ErrnoException
  say(code === undefined ? String(error) : `A file cannot be used: ${code}.`)
  return REFUSED
}
