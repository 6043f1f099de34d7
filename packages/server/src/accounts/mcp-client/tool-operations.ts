import Type, { type Static } from 'typebox'
import type { Caller } from '../../access/auth/caller.ts'
import { defineOperation, PROXY_ERRORS } from '../../access/operations/define-operation.ts'
import { ApiError } from '../../platform/errors.ts'
import {
  IdOf,
  listOf,
  Nullable,
  OneOf,
  OptionalField,
  StrictObject,
} from '../../platform/http/schema.ts'
import type { JsonObject } from '../../platform/json.ts'
import type { AccountId } from '../accounts/account.ts'
import { recordAccountChange } from '../accounts/account-records.ts'
import { AccountParams } from '../accounts/schemas.ts'
import { abortWithoutClient, getPresentedApproval } from '../proxy/proxy-request.ts'
import { callAccountTool, requireTool } from './call-account-tool.ts'
import {
  type AccountTool,
  type AccountToolsDeps,
  buildPin,
  listAccountTools,
  withToolServer,
} from './list-account-tools.ts'
import { MAX_NAME_LENGTH, type ToolDefinition } from './tool-definition.ts'

const JsonMember = (description: string) =>
  Nullable(Type.Unsafe<JsonObject>({ type: 'object', additionalProperties: true, description }))

const definitionFields = {
  title: Nullable(Type.String({ description: 'For people; null without one.' })),
  description: Nullable(
    Type.String({
      description:
        'What the server says that it does: text that anyone may have written. Null without one.',
    }),
  ),
  inputSchema: JsonMember('JSON Schema of the arguments.'),
  outputSchema: JsonMember('JSON Schema of the structured result; null without one.'),
  annotations: JsonMember('Hints of the server, which decide nothing; null without any.'),
}

const SHA256 = '^[0-9a-f]{64}$'
const EXAMPLE_SHA256 = '5feceb66ffc86f38d952786c6d696c79c2dbc239dd4e91b46729d73a27fb57e9'
const EXAMPLE = {
  name: 'create_issue',
  state: 'accepted',
  problem: null,
  sha256: EXAMPLE_SHA256,
  title: 'Create an issue',
  description: 'Creates an issue in a project.',
  inputSchema: { type: 'object', properties: { title: { type: 'string' } } },
  outputSchema: null,
  annotations: { destructiveHint: false },
  accepted: null,
}

export const AccountToolResponse = StrictObject(
  {
    name: Type.String({
      description:
        'By which it is called. Of an unusable tool it may be empty, and have other characters replaced.',
    }),
    state: OneOf(
      ['accepted', 'suspended', 'unusable'] as const,
      'accepted: it can be called; suspended: the server describes it differently than it was accepted; unusable: see `problem`.',
    ),
    problem: Nullable(
      Type.String({ description: 'Why an unusable tool cannot be called; otherwise null.' }),
    ),
    sha256: Nullable(
      Type.String({
        description: 'SHA-256 of the definition as it is now, in hexadecimal; null if unusable.',
      }),
    ),
    ...definitionFields,
    accepted: Nullable(
      StrictObject(definitionFields, {
        description: 'The accepted definition of a suspended tool; otherwise null.',
      }),
    ),
  },
  {
    $id: 'IntegrationAccountTool',
    description: 'A tool of the MCP server of an account, as the server describes it now.',
    examples: [EXAMPLE],
  },
)
export type AccountToolResponse = Static<typeof AccountToolResponse>

const SERVER_ERRORS = ['auth_type_not_allowed', 'mcp_server_invalid'] as const
const CALL_ERRORS = ['tool_not_found', 'tool_suspended'] as const
const TOOL_ERRORS = [
  ...PROXY_ERRORS.filter((code) => !/^agent_|^approval_/.test(code)),
  ...SERVER_ERRORS,
]

const listToolsOperation = defineOperation({
  id: 'listIntegrationAccountTools',
  sdk: 'accounts.listTools',
  method: 'GET',
  path: '/v1/integration_account/:integrationAccountId/tool',
  tag: 'Integration accounts',
  summary: "List the tools of an account's MCP server",
  description:
    'Asks the server, for at most 500. The first definition of a tool that a workspace sees is accepted. When the server changes its title, description, schemas or annotations, the tool is suspended, for all accounts at the server, until it is accepted as it is then.',
  scope: 'read',
  params: AccountParams,
  response: listOf(AccountToolResponse),
  returns: 'The tools, in the order of the server.',
  errors: TOOL_ERRORS,
  config: { rate: 'proxy' },
  handle: (deps: AccountToolsDeps, caller, { params }, reply) =>
    withToolServer(
      deps,
      caller,
      { accountId: params.integrationAccountId, signal: abortWithoutClient(reply) },
      async (server) => {
        const tools = await listAccountTools(deps, server)
        const suspended = tools.filter(({ state }) => state === 'suspended')
        const names = suspended.map(({ name }) => name)
        const accepted = await deps.mcpTools.listDefinitions(server.owner, names)
        return tools.map((tool) => serializeTool(tool, accepted.get(tool.name)))
      },
    ),
})

function serializeTool(tool: AccountTool, accepted?: string): AccountToolResponse {
  const { name, state } = tool
  if (state === 'unusable')
    return {
      name,
      state,
      problem: tool.problem,
      sha256: null,
      ...serializeDefinition(undefined),
      accepted: null,
    }
  return {
    name,
    state,
    problem: null,
    sha256: tool.sha256,
    ...serializeDefinition(tool.definition),
    accepted:
      state === 'suspended' && accepted !== undefined
        ? serializeDefinition(JSON.parse(accepted))
        : null,
  }
}

function serializeDefinition(definition: ToolDefinition | undefined) {
  return {
    title: definition?.title ?? null,
    description: definition?.description ?? null,
    inputSchema: definition?.inputSchema ?? null,
    outputSchema: definition?.outputSchema ?? null,
    annotations: definition?.annotations ?? null,
  }
}

const ToolParams = Type.Object({
  integrationAccountId: IdOf<AccountId>({ description: 'ID of the integration account.' }),
  toolName: Type.String({
    minLength: 1,
    maxLength: MAX_NAME_LENGTH * 2,
    description: 'Name of the tool, percent-encoded.',
  }),
})

const AcceptTool = StrictObject(
  {
    accept: Type.String({
      pattern: SHA256,
      description: '`sha256` of the definition that is accepted, as the list has it.',
    }),
  },
  { $id: 'AcceptIntegrationAccountTool', examples: [{ accept: EXAMPLE_SHA256 }] },
)

const acceptToolOperation = defineOperation({
  id: 'acceptIntegrationAccountTool',
  sdk: 'accounts.acceptTool',
  method: 'POST',
  path: '/v1/integration_account/:integrationAccountId/tool/:toolName',
  tag: 'Integration accounts',
  summary: "Accept a tool of an account's MCP server as it is now",
  description:
    'Ends the suspension of the tool, for all accounts of the workspace at the server. Returns 409 `tool_suspended` if the server has changed it again meanwhile. Repeated calls return the same response.',
  scope: 'definitions:write',
  params: ToolParams,
  body: AcceptTool,
  response: AccountToolResponse,
  returns: 'The accepted tool.',
  errors: [...TOOL_ERRORS, ...CALL_ERRORS],
  audit: 'account.tool_accepted',
  config: { rate: 'proxy' },
  handle: (deps: AccountToolsDeps, caller, { params, body }, reply) =>
    acceptTool(
      deps,
      caller,
      { accountId: params.integrationAccountId, signal: abortWithoutClient(reply) },
      { name: params.toolName, sha256: body.accept },
    ),
})

/** Accepts a tool as the server describes it now (interface: Accept integration account tool). */
async function acceptTool(
  deps: AccountToolsDeps,
  caller: Caller,
  subject: Parameters<typeof withToolServer>[2],
  { name, sha256 }: { readonly name: string; readonly sha256: string },
): Promise<AccountToolResponse> {
  return withToolServer(deps, caller, subject, async (server) => {
    const tool = await requireTool(deps, server, name)
    if (tool.sha256 !== sha256)
      throw new ApiError(
        'tool_suspended',
        `The MCP server has changed this tool again: its sha256 is ${tool.sha256}. List the tools, and accept what it is now.`,
      )
    const response = serializeTool({ ...tool, state: 'accepted' })
    const now = deps.now()
    await deps.database.transaction(async (trx) => {
      const previous = await deps.mcpTools.accept(trx, buildPin(server.owner, tool, now))
      await recordAccountChange(trx, caller, now, {
        action: 'account.tool_accepted',
        accountId: subject.accountId,
        detail: { tool: name, sha256, ...(previous !== undefined && { previous }) },
        response,
      })
    })
    return response
  })
}

const CallTool = StrictObject(
  {
    arguments: OptionalField(
      Type.Unsafe<JsonObject>({
        type: 'object',
        additionalProperties: true,
        description: 'As the `inputSchema` of the tool says. Default: none.',
      }),
    ),
  },
  { $id: 'CallIntegrationAccountTool', examples: [{ arguments: { title: 'A new issue' } }] },
)

const callToolOperation = defineOperation({
  id: 'callIntegrationAccountTool',
  sdk: 'accounts.callTool',
  method: 'POST',
  path: '/v1/integration_account/:integrationAccountId/tool/:toolName/call',
  tag: 'Integration accounts',
  summary: "Call a tool of an account's MCP server",
  description:
    'Lists the tools of the server first, so that a call never reaches a tool that the server describes differently than it was accepted. Returns the result of the tool, which may have `isError`: a tool that fails is no error of the API. With the token of an agent session, its rules with `tools` decide.',
  scope: 'proxy',
  params: ToolParams,
  body: CallTool,
  response: Type.Unsafe<JsonObject>({
    type: 'object',
    additionalProperties: true,
    description:
      'CallToolResult of the Model Context Protocol. For agents it may have been cut, with `truncated`, or be withheld, with `omitted`.',
  }),
  returns: 'The result of the tool: `content`, `structuredContent`, `isError`.',
  errors: [...PROXY_ERRORS, ...SERVER_ERRORS, ...CALL_ERRORS],
  config: { takesAccountTokens: true, rate: 'proxy', ignoresIdempotencyKey: true },
  handle: async (deps: AccountToolsDeps, caller, { params, body }, reply) =>
    JSON.stringify(
      await callAccountTool(deps, caller, {
        accountId: params.integrationAccountId,
        tool: params.toolName,
        args: body.arguments ?? {},
        signal: abortWithoutClient(reply),
        approval: getPresentedApproval(reply),
      }),
    ),
})

export const TOOL_OPERATIONS = [listToolsOperation, acceptToolOperation, callToolOperation]
