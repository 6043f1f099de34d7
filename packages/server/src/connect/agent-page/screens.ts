import type { Workspace } from '../../access/workspaces/workspace.ts'
import type { ApprovedRequest } from '../../accounts/agents/agent-approval.ts'
import { getIntegrationIcon } from '../../integrations/catalogue/integration-icon.ts'
import type { Definition } from '../../integrations/definitions/definition.ts'
import { getWorkspaceDisplayName } from '../../platform/i18n/language.ts'
import type { Messages } from '../../platform/i18n/messages.ts'
import { actions, button } from '../../platform/ui/field.ts'
import { hiddenInputs, stateHeader, tile, toolTile } from '../../platform/ui/header.ts'
import { type Html, html } from '../../platform/ui/html.ts'
import { type PageLayout, type Screen, statusScreen } from '../../platform/ui/screen.ts'
import { showInvisible } from '../../platform/ui/show-invisible.ts'

type Texts = Pick<PageLayout, 'messages'>

interface Start {
  readonly action: string
  /** The form field that binds the form to the browser. */
  readonly visit: string
  readonly signInUrl: URL
}

/** Says that an assistant asks something, and nothing of what it asks. */
export function startScreen(
  { messages }: Texts,
  workspace: Workspace,
  { action, visit, signInUrl }: Start,
): Screen {
  const name = getWorkspaceDisplayName(workspace, messages)
  const message = messages.agent.start({ workspace: name })
  const main = html`${stateHeader({ mark: [tile(name)], ...message })}
<form method="post" action="${action}">${hiddenInputs({ visit })}${actions(
    button({ text: messages.action.continueTo({ tool: name }) }),
  )}</form>`
  const formOrigins = signInUrl.protocol === 'http:' ? [signInUrl.origin] : []
  return {
    state: 'agentStart',
    status: 200,
    title: message.title,
    main,
    formActionCsp: { sameOriginOnly: false, formOrigins },
  }
}

interface Review {
  readonly method: string
  readonly request: ApprovedRequest
  readonly accountName: string
  readonly definition: Pick<Definition, 'name' | 'key' | 'releaseStage' | 'icon'>
  readonly visit: string
  readonly action: string
}

/** Shows everything that is sent, and asks whether to allow it. */
export function reviewScreen(
  { messages }: Texts,
  workspace: Workspace,
  { method, request, accountName, definition, visit, action }: Review,
): Screen {
  const { agent } = messages
  const name = getWorkspaceDisplayName(workspace, messages)
  const message = agent.review({ workspace: name, tool: definition.name })
  const mark = [tile(name), toolTile(definition.name, getIntegrationIcon(definition))]
  const headers = request.headers.map((each) => `${each.name}: ${each.value}`).join('\n')
  const main = html`${stateHeader({ mark, ...message })}
<p class="quiet">${agent.as({ account: accountName })}</p>
${exactly(`${method} ${request.url}`)}${renderBody(request, messages)}${
  headers === ''
    ? ''
    : html`<details class="exact"><summary>${agent.details}</summary>${exactly(headers)}</details>`
}
<form method="post" action="${action}">${hiddenInputs({ visit })}${actions(
    button({ text: agent.allow, attributes: { name: 'decision', value: 'approve' } }),
    button({ text: agent.deny, kind: 'quiet', attributes: { name: 'decision', value: 'deny' } }),
  )}</form>`
  return {
    state: 'agentReview',
    status: 200,
    title: message.title,
    main,
    formActionCsp: { sameOriginOnly: true, formOrigins: [] },
  }
}

function renderBody({ body, bytes, sha256 }: ApprovedRequest, { agent }: Messages): Html {
  if (bytes === 0) return html``
  const content =
    body === null
      ? html`<p>${agent.file({ count: bytes })}</p>${sha256 === null ? '' : exactly(`SHA-256 ${sha256}`)}`
      : exactly(body)
  return html`<h2 class="exact">${agent.content}</h2>${content}`
}

/** A text as it is sent. */
function exactly(text: string): Html {
  return html`<pre class="exact" tabindex="0" dir="ltr"><code>${showInvisible(text)}</code></pre>`
}

/** What the person has answered. */
export function answerScreen({ agent }: Messages, isAllowed: boolean): Screen {
  return isAllowed
    ? statusScreen('agentAllowed', agent.allowed({}), { mark: 'good' })
    : statusScreen('agentDenied', agent.denied({}))
}

/** Another person is signed in at the product. */
export function wrongPersonScreen({ messages }: Texts, workspace: Workspace): Screen {
  const name = getWorkspaceDisplayName(workspace, messages)
  const message = messages.agent.wrongPerson({ workspace: name })
  return statusScreen('agentWrongPerson', message, { status: 403, mark: 'bad' })
}

/** The same page for a question that is answered, that has expired, and in another browser. */
export function endedScreen({ agent }: Messages): Screen {
  return statusScreen('agentEnded', agent.ended({}), { status: 410, mark: 'info', icon: 'clock' })
}
