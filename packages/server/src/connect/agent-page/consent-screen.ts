import type { Workspace } from '../../access/workspaces/workspace.ts'
import type { Authorization } from '../../accounts/mcp/authorization/authorization-server.ts'
import { isLoopbackHost } from '../../platform/config/url.ts'
import { getWorkspaceDisplayName } from '../../platform/i18n/language.ts'
import type { Messages } from '../../platform/i18n/messages.ts'
import { actions, button } from '../../platform/ui/field.ts'
import { hiddenInputs, notice, stateHeader, tile } from '../../platform/ui/header.ts'
import { type Html, html } from '../../platform/ui/html.ts'
import type { PageLayout, Screen } from '../../platform/ui/screen.ts'
import { showInvisible } from '../../platform/ui/show-invisible.ts'

/** An account that the client could use. */
export interface ConsentAccount {
  readonly name: string
  readonly tool: string
}

interface ConsentQuestion extends Authorization {
  /** At most `SHOWN` and one more. */
  readonly accounts: readonly ConsentAccount[]
  readonly visit: string
  readonly action: string
}

/** Accounts that the page names. */
export const SHOWN = 10

/** Asks whether a client may use the accounts of a customer: what it calls itself, where it is from and where the answer goes. */
export function consentScreen(
  { messages }: Pick<PageLayout, 'messages'>,
  workspace: Workspace,
  question: ConsentQuestion,
): Screen {
  const { consent, agent } = messages
  const { clientName, clientId, redirectUri, wantsWrite, accounts, visit, action } = question
  const product = getWorkspaceDisplayName(workspace, messages)
  const client = showInvisible(clientName)
  const message = consent.ask({ client, workspace: product })
  const target = new URL(redirectUri)
  const host = getHost(clientId)
  const facts = [
    host === undefined ? consent.unverified : consent.from({ host }),
    consent.to({ host: showInvisible(describeTarget(target)) }),
  ]
  const main = html`${stateHeader({ mark: [tile(clientName), tile(product)], ...message })}
<div class="scopes"><ul>${facts.map((text) => html`<li>${text}</li>`)}</ul></div>
${isLocal(target) ? notice({ kind: 'warning', text: consent.local }) : ''}
<div class="scopes"><h2>${consent.accounts({ workspace: product })}</h2>
<ul>${listAccounts(accounts, messages)}</ul></div>
<form method="post" action="${action}">${hiddenInputs({ visit })}${actions(
    answer(consent.allowRead, 'read'),
    ...(wantsWrite ? [answer(consent.allowWrite, 'write', 'quiet')] : []),
    answer(agent.deny, 'deny', 'quiet'),
  )}</form>`
  return {
    state: 'agentConsent',
    status: 200,
    title: message.title,
    main,
    formActionCsp: { sameOriginOnly: false, formOrigins: [getFormOrigin(target)] },
  }
}

function answer(text: string, value: string, kind?: 'quiet'): Html {
  const attributes = { name: 'decision', value }
  return button({ text, attributes, ...(kind && { kind }) })
}

function listAccounts(accounts: readonly ConsentAccount[], { consent }: Messages): Html[] {
  if (accounts.length === 0) return [html`<li>${consent.noAccounts}</li>`]
  const named = accounts
    .slice(0, SHOWN)
    .map(({ tool, name }) => html`<li><bdi>${tool}</bdi>: <bdi>${showInvisible(name)}</bdi></li>`)
  return accounts.length > SHOWN ? [...named, html`<li>${consent.more}</li>`] : named
}

/** The host that has published what the client says of itself; undefined for a registered one. */
function getHost(clientId: string): string | undefined {
  return URL.parse(clientId)?.host
}

/** Host and port, or of an application on the device its scheme. */
function describeTarget({ protocol, host }: URL): string {
  return isWeb(protocol) ? host : protocol
}

const isWeb = (protocol: string) => protocol === 'https:' || protocol === 'http:'

/** Whether the answer goes to a program on this device, and any of them can listen. */
function isLocal({ protocol, hostname }: URL): boolean {
  return !isWeb(protocol) || isLoopbackHost(hostname)
}

function getFormOrigin({ protocol, origin }: URL): string {
  return isWeb(protocol) ? origin : protocol
}
