// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are texts of source files
import type { Mutant } from './mutant.ts'

const EGRESS = 'packages/runner/src/egress'
const PROXY = 'packages/server/src/accounts/proxy'
const MCP_TEST = 'packages/server/src/accounts/mcp/mcp.test.ts'

/** Where requests and credentials go. */
export const EGRESS_MUTANTS: readonly Mutant[] = [
  {
    name: 'private addresses are reachable',
    file: `${EGRESS}/address-policy.ts`,
    original:
      '    throw createAddressRefusedError(`${description} is ${address.range()}, not public`)',
    replacement: '    return text',
    caughtBy: {
      file: `${EGRESS}/address-policy.test.ts`,
      test: 'rejects a name that has a private address, at any position',
    },
  },
  {
    name: 'the service itself is reachable',
    file: `${EGRESS}/address-policy.ts`,
    original: '    throw createAddressRefusedError(`${description} is this service itself`)',
    replacement: '    return text',
    caughtBy: {
      file: `${EGRESS}/address-policy.test.ts`,
      test: "rejects the service's own port on every address of this machine, allowed or not",
    },
  },
  {
    name: 'a host that is not listed is reachable',
    file: `${EGRESS}/address-policy.ts`,
    original: 'if (request.hosts && !isListed(host, request.hosts))',
    replacement: 'if (request.hosts && !isListed(host, [...request.hosts, host]))',
    caughtBy: {
      file: `${EGRESS}/address-policy.test.ts`,
      test: 'rejects hosts that are not listed',
    },
  },
  {
    name: 'a name is resolved again when it is dialled',
    file: `${EGRESS}/connection-pool.ts`,
    original: 'await dial(target.addresses, target.port, timeout.signal)',
    replacement: 'await dial([target.host], target.port, timeout.signal)',
    caughtBy: {
      file: `${EGRESS}/ssrf.test.ts`,
      test: 'dials the validated address, however often the DNS answer changes',
    },
  },
  {
    name: 'a redirect carries credentials to another origin',
    file: `${EGRESS}/exchange.ts`,
    original: '!(to.origin !== from.origin && CREDENTIALS.test(name))',
    replacement: "!(to.origin === '' && CREDENTIALS.test(name))",
    caughtBy: {
      file: `${EGRESS}/redirects.test.ts`,
      test: 'keep credentials on the same origin and drop them on another',
    },
  },
  {
    name: 'a response of any size is read',
    file: `${EGRESS}/response-body.ts`,
    original: 'this.#receivedBytes > maxResponseBytes',
    replacement: 'this.#receivedBytes > Number.MAX_SAFE_INTEGER',
    caughtBy: {
      file: `${EGRESS}/read-body.test.ts`,
      test: 'counts as received, too: a large one that decodes to nothing is rejected',
    },
  },
  {
    name: 'a certificate of another host is accepted',
    file: `${EGRESS}/connection-pool.ts`,
    original: 'rejectUnauthorized: true',
    replacement: 'rejectUnauthorized: false',
    caughtBy: {
      file: `${EGRESS}/tls.test.ts`,
      test: 'rejects certificates that do not match the host',
    },
  },
  {
    name: 'the proxy leaves the path of the base URL',
    file: `${PROXY}/proxy-target.ts`,
    original: 'if (isOutsideBase(pathAndQuery)) throw',
    replacement: "if (isOutsideBase(pathAndQuery) && pathAndQuery === '') throw",
    caughtBy: {
      file: `${PROXY}/proxy-target.test.ts`,
      test: 'rejects "../v3/items" and lists the allowed hosts',
    },
  },
  {
    name: 'the proxy sends credentials to any host',
    file: `${PROXY}/proxy-target.ts`,
    original:
      "  if (url.port === '' && isListed(normalizeHost(url.hostname), allowedHosts)) return url\n",
    replacement: '  if (isListed(normalizeHost(url.hostname), [url.hostname])) return url\n',
    caughtBy: {
      file: `${PROXY}/proxy-target.test.ts`,
      test: 'rejects "https://evil.example/" and lists the allowed hosts',
    },
  },
  {
    name: 'the MCP server takes the agents of other workspaces',
    file: 'packages/server/src/access/auth/caller.ts',
    original: "  if (kind !== 'agent' || boundWorkspaceId !== workspaceId)\n",
    replacement: "  if (kind !== 'agent')\n",
    caughtBy: {
      file: MCP_TEST,
      test: '401 with a challenge for any other token than one of a session of this workspace',
    },
  },
  {
    name: 'a tool of an agent uses any account of the workspace',
    file: 'packages/server/src/accounts/mcp/tool.ts',
    original: '  requireAccount(caller, true, accountId)\n',
    replacement: '',
    caughtBy: {
      file: MCP_TEST,
      test: 'lists the accounts of the session, in pages, and none of another',
    },
  },
  {
    name: 'a requestState is accepted for other arguments',
    file: 'packages/server/src/accounts/mcp/elicit-approval.ts',
    original: 'state.digest === digestCall(call) && state',
    replacement: 'state',
    caughtBy: {
      file: MCP_TEST,
      test: 'has a client that can show a URL open the page of the approval, whose outcome alone counts',
    },
  },
]
