import { redactSecrets } from '../redact-secrets.ts'
import { RunnerError } from '../runner-error.ts'
import type { BundleResult, RunnerErrorCode } from '../runner-types.ts'
import type { FailureReason } from '../sandbox/messages.ts'

type LastRequest = Pick<BundleResult, 'lastExchange' | 'lastStatus' | 'lastRequestId'>

/**
 * Creates the error for a call that failed inside the sandbox. The bundle's message is scrubbed of the call's config and
 * truncated, or omitted if the config has too many values to search for.
 */
export function createRunnerError(
  reason: FailureReason,
  bundleMessage: string,
  config: unknown,
  { lastExchange, lastStatus, lastRequestId }: LastRequest,
): RunnerError {
  const [code, sentence] = FAILURES[reason]
  const detail =
    (REASONS_WITH_MESSAGE.has(reason) &&
      redactSecrets(bundleMessage, config)?.slice(0, MAX_MESSAGE_LENGTH)) ||
    ''
  const message = detail === '' ? `${sentence}.` : `${sentence}: ${detail}`
  const isConclusive = reason !== 'wall' && reason !== 'cancelled'
  return new RunnerError(
    code,
    message,
    lastExchange,
    lastStatus,
    undefined,
    lastRequestId,
    isConclusive,
  )
}

const MAX_MESSAGE_LENGTH = 500

/** Reasons whose error includes the bundle's message. */
const REASONS_WITH_MESSAGE: ReadonlySet<FailureReason> = new Set(['load', 'threw', 'output'])

const FAILURES: Readonly<Record<FailureReason, readonly [RunnerErrorCode, string]>> = {
  load: ['bundle_invalid', 'The bundle cannot be loaded'],
  threw: ['integration_failed', 'The integration failed'],
  exit: ['integration_failed', 'The integration exited its process'],
  cpu: ['integration_timeout', 'The integration exceeded its CPU time'],
  slice: ['integration_timeout', 'The integration exceeded its CPU time'],
  cancelled: ['overloaded', 'The call was cancelled because too many others are waiting'],
  wall: ['integration_timeout', 'The integration timed out'],
  stuck: [
    'integration_timeout',
    'The integration never returns: it waits for nothing that can happen',
  ],
  memory: ['integration_limit', 'The integration exceeded its memory limit'],
  depth: ['integration_limit', 'The integration exceeded its recursion limit'],
  size: ['integration_limit', 'The result of the integration is too large'],
  output: ['integration_bad_output', 'The result of the integration is not JSON'],
}
