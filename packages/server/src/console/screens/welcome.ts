import type { IntegrationAccount } from '@linchpin/sdk'
import { type Html, html } from '../../platform/ui/html.ts'
import { linkButton, snippet, submitButton } from '../parts/content.ts'
import { icon } from '../parts/icons.ts'
import { describeStatus, statusBadge } from '../parts/status.ts'
import { whyNot } from '../parts/why-not.ts'
import type { Answer, DefinitionNames, Screen, Submission, View } from '../screen.ts'

const PATH = '/console/welcome'
const SANDBOX = 'acme_sandbox'
const CUSTOMER = 'customer-1'

/** How do I begin? */
export const welcomeScreen: Screen = {
  path: '/welcome',
  show,
  actions: {
    '/try': tryIt,
  },
}

async function show(view: View): Promise<Answer> {
  const { api, words, query } = view
  const { welcome } = words
  const [{ items }, names] = await Promise.all([
    api.accounts.list({ order: '-createdAt' }).page(RECENT),
    view.definitionNames(),
  ])
  // After a sign-in: someone who has connections does not begin. A refresh must stay, so the page has another address.
  if (query.has('first')) return { location: items.length > 0 ? '/console' : PATH }
  const sandboxId = findSandbox(names)
  const account = items.find(({ integrationDefinitionId }) => integrationDefinitionId === sandboxId)
  const connected = account ?? items[0]
  // Of the connection that is shown: a program or the test request has used it.
  const isUsed =
    connected !== undefined &&
    (await api.accounts.getHealth(connected.integrationAccountId)).lastUsedAt !== null
  const other = items.find(({ integrationDefinitionId }) => integrationDefinitionId !== sandboxId)
  return {
    title: welcome.title,
    section: 'welcome',
    note: html`${welcome.lead}`,
    isLive: true,
    actions: [
      html`<form method="post" action="${PATH}/dismiss">${view.formFields(`${PATH}/dismiss`)}${submitButton({ text: welcome.leave })}</form>`,
    ],
    main: html`<ol class="steps">
${step(true, welcome.signedIn, html`<p class="quiet">${welcome.signedInText(view.session.email)}</p>`)}
${step(connected !== undefined, welcome.connect, renderConnect(view, connected, names, sandboxId !== undefined))}
${step(isUsed, welcome.use, renderUse(view, connected, connected === account))}
${step(other !== undefined, welcome.add, html`<p class="quiet">${welcome.addText}</p><div class="buttons">${linkButton({ text: welcome.catalogue, icon: 'integrations' }, '/console/integrations')}</div>`)}
</ol>`,
  }
}

/** The connections that are looked at for a step that is complete. */
const RECENT = 50

function findSandbox(names: DefinitionNames): string | undefined {
  return [...names].find(([, { key }]) => key === SANDBOX)?.[0]
}

function step(isDone: boolean, title: string, content: Html): Html {
  return html`<li class="${isDone ? 'done' : ''}"><span class="dot">${isDone ? icon('check', 16) : ''}</span><div class="stack"><h2>${title}</h2>${content}</div></li>
`
}

function renderConnect(
  view: View,
  account: IntegrationAccount | undefined,
  names: DefinitionNames,
  hasSandbox: boolean,
): Html {
  const { words } = view
  const { welcome } = words
  if (account !== undefined)
    return html`<p><a href="/console/connections/${account.integrationAccountId}">${names.get(account.integrationDefinitionId)?.name ?? account.integrationDefinitionId}</a> ${statusBadge(describeStatus(account, words))}</p>`
  return html`<p class="quiet">${hasSandbox ? welcome.sandboxText : welcome.anyText}</p>
<form method="post" action="${PATH}/try" target="_blank" data-turbo="false">${view.formFields(`${PATH}/try`)}<div class="buttons">${submitButton(
    {
      text: hasSandbox ? welcome.trySandbox : welcome.tryAny,
      icon: 'external',
      kind: 'primary',
      disabledBecause: whyNot(view, 'links:write'),
    },
  )}</div></form>`
}

/** `isSandbox`: the path of the snippet exists at Acme Sandbox. */
function renderUse(
  { words, publicUrl }: View,
  account: IntegrationAccount | undefined,
  isSandbox: boolean,
): Html {
  const { welcome } = words
  if (account === undefined) return html`<p class="quiet">${welcome.useLater}</p>`
  const id = account.integrationAccountId
  const path = isSandbox ? '/tickets' : '/'
  const typescript = `// npm install ${publicUrl}/sdk.tgz
import { env } from 'node:process'
import { Linchpin } from '@linchpin/sdk'

const linchpin = new Linchpin({
  baseUrl: '${publicUrl}',
  token: env.LINCHPIN_TOKEN ?? '',
})
const response = await linchpin.account('${id}').fetch('${path}')
console.log(await response.json())`
  const curl = `curl '${publicUrl}/api/v1/integration_account/${id}/proxy${path}' \\
  -H "Authorization: Bearer $LINCHPIN_TOKEN"`
  const test = linkButton(
    { text: welcome.test, icon: 'terminal' },
    `/console/connections/${id}/request?path=${encodeURIComponent(path)}`,
  )
  return html`<p class="quiet">${welcome.useText}</p>${snippet(typescript, words, 'TypeScript')}${snippet(curl, words, 'curl')}<div class="buttons">${test}</div>`
}

/** Creates a connect session and leads to its page, in the tab that the form has opened. */
async function tryIt({ api, formId, definitionNames }: Submission): Promise<Answer> {
  const sandboxId = findSandbox(await definitionNames())
  const { url } = await api.connectSessions.create(
    {
      accountIdentifier: CUSTOMER,
      ...(sandboxId !== undefined && { integrationDefinitionIds: [sandboxId] }),
    },
    { idempotencyKey: formId },
  )
  return { location: url }
}
