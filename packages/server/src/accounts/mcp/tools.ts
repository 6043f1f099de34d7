import { type ApiError, validationFailed } from '../../platform/errors.ts'
import { type TranslateError, toApiError } from '../../platform/http/error-handler.ts'
import type { Log } from '../../platform/http/log.ts'
import { findInvalidFields } from '../../platform/http/validation.ts'
import { type CallApiDeps, readApiTool, writeApiTool } from './call-api.ts'
import { type ConnectAccountDeps, connectAccountTool } from './connect-account.ts'
import { type DescribeAccountDeps, describeAccountTool } from './describe-account.ts'
import { type ListAccountsDeps, listAccountsTool } from './list-accounts.ts'
import type { Tool, ToolCall } from './tool.ts'

export type ToolsDeps = ListAccountsDeps &
  DescribeAccountDeps &
  CallApiDeps &
  ConnectAccountDeps & {
    readonly log: Pick<Log, 'error' | 'debug'>
    readonly translateError: TranslateError
  }

/** All tools, as models see them. */
const TOOLS: readonly Tool<ToolsDeps>[] = [
  listAccountsTool,
  describeAccountTool,
  readApiTool,
  writeApiTool,
  connectAccountTool,
]

const byName = new Map(TOOLS.map((tool) => [tool.name, tool]))

/** The result of `tools/list`. */
export const TOOL_LIST = {
  tools: TOOLS.map(({ name, description, annotations, input }) => ({
    name,
    description,
    // Without what TypeBox adds for itself.
    inputSchema: JSON.parse(JSON.stringify(input)),
    annotations,
  })),
}

/** The result of `tools/call`: its text is the same as its structured content, for clients that show only one of them. */
export interface ToolResult {
  readonly [member: string]: unknown
  readonly content: { readonly type: 'text'; readonly text: string }[]
  readonly structuredContent: Record<string, unknown>
  readonly isError?: true
}

/** Calls a tool. Never rejects: the model has to see what went wrong. @returns undefined if there is no such tool */
export async function callTool(
  deps: ToolsDeps,
  call: ToolCall,
  name: string,
  input: unknown,
): Promise<ToolResult | undefined> {
  const tool = byName.get(name)
  if (tool === undefined) return undefined
  try {
    const invalid = findInvalidFields(tool.input, input)
    if (invalid !== undefined) throw validationFailed(invalid, 'The arguments are')
    return createResult({ ...(await tool.call(deps, call, input as never)) })
  } catch (error) {
    return toFailure(deps, call, error)
  }
}

/** What a model sees of an error, of which it learns no more than any client of the API. */
export function toFailure(
  { log, translateError }: Pick<ToolsDeps, 'log' | 'translateError'>,
  { caller: { requestId } }: ToolCall,
  error: unknown,
): ToolResult {
  const apiError = toApiError(error, translateError)
  if (apiError.code === 'internal_error')
    log.error({ err: error, reqId: requestId }, 'a tool of an agent failed')
  return createFailure(describeError(apiError))
}

export function createFailure(structuredContent: Record<string, unknown>): ToolResult {
  return { ...createResult(structuredContent), isError: true }
}

function createResult(structuredContent: Record<string, unknown>): ToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent }
}

/** An error of the API, as docs/errors.md explains them, with what it names: of `approval_required`, the approval and its page. */
function describeError({ code, message, headers, errors }: ApiError): Record<string, unknown> {
  const retryAfter = headers['retry-after']
  const named = Object.entries(errors).flatMap(([name, [error]]) =>
    error?.value === undefined ? [] : [[name, error.value]],
  )
  return {
    code,
    message: code === 'approval_required' ? APPROVAL_REQUIRED : message,
    ...Object.fromEntries(named),
    ...(retryAfter !== undefined && { retryAfterSeconds: Number(retryAfter) }),
  }
}

/** The sentence of the API names a header, which a tool has not. */
const APPROVAL_REQUIRED =
  'A person has to approve this request, at the url if there is one. Once it is approved, call the tool again with the same arguments.'
