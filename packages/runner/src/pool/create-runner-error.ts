import { RunnerError } from '../runner-error.ts'
import type { BundleResult, RunnerErrorCode } from '../runner-types.ts'
import type { FailureReason } from '../sandbox/messages.ts'
import { scrub } from '../scrub.ts'

/**
 * The error for a call that failed inside the jail. The bundle's words are cleared of the call's config and cut, and left out when the config has
 * too many values to search for.
 */
export function createRunnerError(
  reason: FailureReason,
  bundleMessage: string,
  config: unknown,
  { lastExchange, lastStatus }: Pick<BundleResult, 'lastExchange' | 'lastStatus'>,
): RunnerError {
  const [code, sentence] = FAILURES[reason]
  const detail =
    (REASONS_WITH_MESSAGE.has(reason) &&
      scrub(bundleMessage, config)?.slice(0, MAX_MESSAGE_LENGTH)) ||
    ''
  const message = detail === '' ? `${sentence}.` : `${sentence}: ${detail}`
  return new RunnerError(code, message, lastExchange, lastStatus)
}

const MAX_MESSAGE_LENGTH = 500

/** Reasons that come with words of the bundle. */
const REASONS_WITH_MESSAGE: ReadonlySet<FailureReason> = new Set(['load', 'threw', 'output'])

const FAILURES: Readonly<Record<FailureReason, readonly [RunnerErrorCode, string]>> = {
  load: ['bundle_invalid', 'The bundle does not load'],
  threw: ['integration_failed', 'The integration failed'],
  exit: ['integration_failed', 'The integration ended its process'],
  cpu: ['integration_timeout', 'The integration computed longer than allowed'],
  slice: ['integration_timeout', 'The integration computed longer than allowed'],
  cancelled: ['overloaded', 'The call was ended because too many others wait'],
  wall: ['integration_timeout', 'The integration did not answer in time'],
  stuck: [
    'integration_timeout',
    'The integration never answers: it waits for nothing that can happen',
  ],
  memory: ['integration_limit', 'The integration used more memory than allowed'],
  depth: ['integration_limit', 'The integration nested deeper than allowed'],
  size: ['integration_limit', 'The answer of the integration is larger than allowed'],
  output: ['integration_bad_output', 'The answer of the integration is not JSON'],
}
