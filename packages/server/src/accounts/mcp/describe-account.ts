import type { Catalogue } from '@linchpin/catalogue'
import type { Spec } from '@linchpin/runner'
import Type from 'typebox'
import type { Definition } from '../../integrations/definitions/definition.ts'
import type { DefinitionStore } from '../../integrations/definitions/definition-store.ts'
import { notFound } from '../../platform/errors.ts'
import { StrictObject } from '../../platform/http/schema.ts'
import { isId } from '../../platform/storage/id.ts'
import type { PublicAccount } from '../accounts/account.ts'
import type { AccountStore } from '../accounts/account-store.ts'
import { type GetAccountHealthDeps, getAccountHealth } from '../accounts/get-account-health.ts'
import type { AgentSession } from '../agents/agent-session.ts'
import { requireOwnSession } from '../agents/agent-session-store.ts'
import type { AccountToolsDeps } from '../mcp-client/list-account-tools.ts'
import { findBaseUrlTemplate } from '../proxy/proxy-target.ts'
import { describeTools } from './describe-tools.ts'
import { AccountArgument, defineTool, requireSessionAccount } from './tool.ts'

export type DescribeAccountDeps = AccountToolsDeps &
  GetAccountHealthDeps & {
    readonly accounts: Pick<AccountStore, 'find' | 'findAgentAccess'>
    readonly definitions: Pick<DefinitionStore, 'find'>
    readonly bundledCatalogue: Catalogue
  }

export const describeAccountTool = defineTool({
  name: 'describe_account',
  description:
    "Describes an account: the base URL of the tool's API, its documentation, the granted and missing scopes, your rules, how many requests you have left, and the tools of an MCP server. Call this before you use an account for the first time.",
  annotations: { readOnlyHint: true },
  input: StrictObject({
    account: AccountArgument,
    search: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description: 'Of an MCP server: only tools with this text, with their input schemas.',
      }),
    ),
  }),
  async call(deps: DescribeAccountDeps, call, { account: accountId, search }) {
    const { caller } = call
    requireSessionAccount(caller, accountId)
    const account = isId('acc', accountId) ? await deps.accounts.find(caller, accountId) : undefined
    if (account === undefined || account.deletedAt !== null) throw notFound('integration_account')
    const [definition, session, { permissions }, restriction] = await Promise.all([
      deps.definitions.find(caller, account.definitionId),
      requireOwnSession(deps, caller),
      getAccountHealth(deps, caller, accountId),
      deps.accounts.findAgentAccess(caller, accountId),
    ])
    if (definition === undefined) throw notFound('integration_definition')
    const tools = isAtMcpServer(account, definition)
      ? await describeTools(deps, call, session, { accountId, search })
      : undefined
    return {
      ...describeAccount(account, definition),
      documentation: findDocumentation(deps.bundledCatalogue, definition),
      permissions: permissions && {
        granted: permissions.granted,
        missing: permissions.missing,
      },
      // What the customer has restricted, whatever the rules say.
      access: restriction?.agentAccess ?? 'full',
      // Which the tools have cost a request of.
      ...describeSession(tools ? await requireOwnSession(deps, caller) : session, definition),
      ...(tools && { tools }),
    }
  },
})

function isAtMcpServer({ authType }: PublicAccount, { spec }: Definition): boolean {
  const types = spec.auth_specification
  return Object.hasOwn(types, authType) && types[authType]?.discovery === 'mcp'
}

function describeAccount(account: PublicAccount, { name, spec }: Definition) {
  const facts = Object.entries(account.facts).map(([key, { value }]) => [key, value])
  const hosts = spec['x-hosts'] ?? []
  return {
    id: account.accountId,
    tool: name,
    name: account.name,
    identity: account.identityLabel ?? account.identityId,
    status: account.status,
    statusReason: account.statusReason,
    baseURL: describeBaseUrl(account, spec),
    // A path may also be a URL of one of them.
    hosts: hosts.slice(0, MAX_HOSTS),
    // `${name}` in a path stands for the value.
    facts: Object.fromEntries(facts),
  }
}

const MAX_HOSTS = 20

/** With the values that are public: `${name}` remains for those that are not. Null if the proxy has no base URL. */
function describeBaseUrl(
  { publicConfig, facts, authType }: PublicAccount,
  spec: Spec,
): string | null {
  const template = findBaseUrlTemplate(spec, authType)
  if (template === undefined) return null
  return template.replace(/\$\{([\w.-]+)\}/g, (text, name: string) => {
    if (Object.hasOwn(facts, name)) return String(facts[name]?.value)
    return publicConfig !== null && Object.hasOwn(publicConfig, name)
      ? String(publicConfig[name])
      : text
  })
}

/** The page of the provider that the integration is based on; null for custom integrations. */
function findDocumentation({ entries }: Catalogue, { key, latestVersion }: Definition) {
  if (latestVersion === null) return null
  return entries.find((entry) => entry.key === key)?.docs || null
}

/** What the session says of accounts of this tool. */
function describeSession(session: AgentSession, { definitionId, spec }: Definition) {
  const { rules, calls, maxCalls, writes, maxWrites, maxBytes, callsPerMinute } = session
  const isForTool = ({ integrationDefinitionIds: ids }: AgentSession['rules'][number]) =>
    ids === undefined || ids.includes(definitionId)
  return {
    rules: rules
      .filter(isForTool)
      .map(({ integrationDefinitionIds: _itself, ...conditions }) => conditions),
    otherwise:
      spec['x-get-may-write'] === true
        ? 'What no rule allows is denied.'
        : 'Without a rule, GET is allowed and all else denied.',
    limits: {
      callsLeft: Math.max(0, maxCalls - calls),
      writesLeft: Math.max(0, maxWrites - writes),
      callsPerMinute,
      bytes: maxBytes,
    },
  }
}
