// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are texts of source files
import type { Mutant } from './mutant.ts'

const SERVER = 'packages/server/src'

/** What visitors, receivers of webhooks and operators see. */
export const PAGE_MUTANTS: readonly Mutant[] = [
  {
    name: 'texts are not escaped',
    file: `${SERVER}/platform/ui/html.ts`,
    original: '  return ghtml`${stripBidiControls(text)}`',
    replacement: '  return stripBidiControls(text)',
    caughtBy: {
      file: `${SERVER}/connect/connect-page/hostile-texts.test.ts`,
      test: 'are escaped as names of an integration, its category and the workspace',
    },
  },
  {
    name: 'a form of another site is accepted',
    file: `${SERVER}/connect/connect-page/page/page-session.ts`,
    original: '  if (!isSameOrigin(request, baseUrl)) return undefined\n',
    replacement: '',
    caughtBy: {
      file: `${SERVER}/connect/connect-page/submit/form-guards.test.ts`,
      test: 'is rejected from another site',
    },
  },
  {
    name: 'pages load anything from anywhere',
    file: `${SERVER}/platform/http/send-page.ts`,
    original: `"default-src 'none'",`,
    replacement: `'default-src *',`,
    caughtBy: {
      file: `${SERVER}/platform/http/send-page.test.ts`,
      test: 'blocks scripts and framing by default',
    },
  },
  {
    name: 'any site may frame a page',
    file: `${SERVER}/platform/http/send-page.ts`,
    original: `ancestors.length === 0 ? "'none'" : ancestors.join(' ')`,
    replacement: `ancestors.join(' ') || '*'`,
    caughtBy: {
      file: `${SERVER}/platform/http/send-page.test.ts`,
      test: 'blocks scripts and framing by default',
    },
  },
  {
    name: 'the timestamp of a webhook is not signed',
    file: `${SERVER}/activity/webhooks/endpoint-secrets.ts`,
    original: '${messageId}.${timestamp}.',
    replacement: '${messageId}.',
    caughtBy: {
      file: `${SERVER}/activity/webhooks/signatures.test.ts`,
      test: 'is verified by the package standardwebhooks',
    },
  },
  {
    name: 'a webhook is given up after its second attempt',
    file: `${SERVER}/activity/webhooks/dispatch/plan-settlement.ts`,
    original: 'export const MAX_ATTEMPTS = 11',
    replacement: 'export const MAX_ATTEMPTS = 2',
    caughtBy: {
      file: `${SERVER}/activity/webhooks/dispatch/plan-settlement.test.ts`,
      test: 'schedules 11 attempts in about 75 hours, each within 20 %',
    },
  },
  {
    name: 'webhooks are settled by a node that has lost its lease',
    file: `${SERVER}/activity/webhooks/dispatch/settlement-store.ts`,
    original: 'webhook_endpoints.lease_owner = held.owner and ',
    replacement: '',
    caughtBy: {
      file: `${SERVER}/activity/webhooks/dispatch/promote-held.test.ts`,
      test: 'is not stored under a lease that was lost, beside one that is held',
    },
  },
  {
    name: 'a draining node stays ready',
    file: `${SERVER}/app/observability/health.ts`,
    original: "  if (drainState.isDraining) return 'draining'\n",
    replacement: '',
    caughtBy: {
      file: `${SERVER}/app/observability/observability.test.ts`,
      test: 'report not ready but live while the service is draining, which is no error in the log',
    },
  },
  {
    name: 'the log has links and queries',
    file: `${SERVER}/platform/http/log.ts`,
    original: "route: request.routeOptions.url ?? 'unknown'",
    replacement: 'route: request.url',
    caughtBy: {
      file: `${SERVER}/app/observability/observability.test.ts`,
      test: 'never contain a token, a body, a query or a link id',
    },
  },
]
