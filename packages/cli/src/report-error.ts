import { isLinchpinError, LinchpinConnectionError } from '@linchpin/sdk'
import type { Io } from './io.ts'
import { escapeControls } from './output/escape-controls.ts'
import { UsageError } from './usage-error.ts'

const REFUSED = 1
const USAGE = 2
const UNREACHABLE = 3
const INTERRUPTED = 130

/** Says on standard error why a command failed. @returns the exit code */
export function reportError(error: unknown, { stderr, signal }: Io): number {
  const write = (text: string) => stderr.write(`${escapeControls(text)}\n`)
  const say = (text: string) => write(`linchpin: ${text}`)
  if (signal.aborted || (error instanceof Error && error.name === 'AbortError')) return INTERRUPTED
  if (isLinchpinError(error)) {
    if (error.code === 'unexpected_response') {
      say(error.message)
      return UNREACHABLE
    }
    say(`${error.code}: ${error.message}`)
    for (const [field, problems] of Object.entries(error.errors))
      for (const { message } of problems) write(`  ${field}: ${message}`)
    if (error.requestId !== undefined) write(`  request ${error.requestId}`)
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
