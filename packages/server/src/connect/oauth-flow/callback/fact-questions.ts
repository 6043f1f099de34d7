import type { FastifyRequest } from 'fastify'
import type { AccountFacts } from '../../../accounts/accounts/account.ts'
import {
  type FactQuestion,
  toFactValues,
} from '../../../accounts/accounts/verification/run-check.ts'
import { getForm, isSameOrigin } from '../../../platform/http/browser-request.ts'
import type { Language } from '../../../platform/i18n/language.ts'
import type { Messages } from '../../../platform/i18n/messages.ts'
import { actions, button, field } from '../../../platform/ui/field.ts'
import { stateHeader, tile, toolTile } from '../../../platform/ui/header.ts'
import { html } from '../../../platform/ui/html.ts'
import type { Screen } from '../../../platform/ui/screen.ts'
import type { OAuthFlowDeps } from '../oauth-flow-deps.ts'
import { failSession, type PartialResult, type SessionOutcome } from '../session/end-session.ts'
import {
  AWAITING_DECISION,
  isSameBrowser,
  type OAuthSession,
  type OAuthSessionId,
  readBrowserSecret,
} from '../session/oauth-session.ts'
import {
  createSessionEndedError,
  loadSessionContext,
  openSessionSecrets,
} from '../session/session-context.ts'
import { ASKING, finishSignIn } from './finish-sign-in.ts'

/** The questions of a session that waits for the answers of its person; undefined for any other. */
export async function findQuestions(
  { vault, now }: Pick<OAuthFlowDeps, 'vault' | 'now'>,
  session: OAuthSession,
): Promise<readonly FactQuestion[] | undefined> {
  const { outcome, pageHash, expiresAt, sealedSecrets } = session
  if (outcome !== AWAITING_DECISION || pageHash !== null || expiresAt <= now()) return undefined
  if (sealedSecrets === null) return undefined
  return (await openSessionSecrets(vault, session, sealedSecrets)).proven?.questions
}

/**
 * Handles the answers. The form must come from the page itself, in the browser that signed in, and only the provider's own
 * values are accepted: for others the page asks again. A second click changes nothing. Returns the session, whose page
 * shows what has become of it; undefined for another browser.
 */
export async function answerQuestions(
  deps: OAuthFlowDeps,
  sessionId: OAuthSessionId,
  request: FastifyRequest,
): Promise<{ session: OAuthSession; outcome: SessionOutcome | typeof ASKING } | undefined> {
  const session = await deps.oauthSessions.find(sessionId)
  const secret = readBrowserSecret(request, deps.baseUrl())
  if (session === undefined || secret === undefined || !isSameOrigin(request, deps.baseUrl()))
    return undefined
  if (!isSameBrowser(secret, session.browserHash)) return undefined
  const questions = await findQuestions(deps, session)
  const answers = questions && readAnswers(questions, getForm(request))
  if (answers === undefined) return { session, outcome: ASKING }
  const outcome = await complete(deps, sessionId, answers, { secret, request })
  return { session, outcome: outcome ?? ASKING }
}

async function complete(
  deps: OAuthFlowDeps,
  sessionId: OAuthSessionId,
  answers: AccountFacts,
  { secret, request }: { readonly secret: string; readonly request: FastifyRequest },
): Promise<SessionOutcome | typeof ASKING | undefined> {
  const session = await deps.database.transaction((trx) =>
    deps.confirmations.claimChoice(trx, sessionId, deps.now()),
  )
  if (session === undefined) return undefined
  const caller = { requestId: request.id, ip: request.auditIp }
  const partial: PartialResult = {}
  try {
    const context = await loadSessionContext(deps, session)
    const { proven } = context.secrets
    if (proven === undefined) throw createSessionEndedError()
    const { questions: _answered, ...tokens } = proven
    const config = { ...tokens.config, ...toFactValues(answers) }
    const verified = { ...tokens, config, facts: { ...tokens.facts, ...answers } }
    Object.assign(partial, { context, verified })
    return await finishSignIn(deps, context, verified, { ...caller, browserSecret: secret })
  } catch (error) {
    return failSession(deps, session, error, caller, partial)
  }
}

/** Undefined unless every question has one of its choices as the answer. */
function readAnswers(
  questions: readonly FactQuestion[],
  form: URLSearchParams,
): AccountFacts | undefined {
  const answers = questions.map(({ fact, choices }) => {
    const answer = form.get(getControlName(fact.name))
    return [fact.name, choices.find(({ value }) => value === answer)] as const
  })
  if (answers.some(([, answer]) => answer === undefined)) return undefined
  return Object.fromEntries(answers) as AccountFacts
}

const getControlName = (fact: string) => `fact.${fact}`

/** Asks for one value of each fact. Texts of the provider are escaped, in their own direction. */
export function questionsScreen(
  { messages, language }: { readonly messages: Messages; readonly language: Language },
  {
    tool,
    icon,
    workspace,
  }: { readonly tool: string; readonly icon: string | undefined; readonly workspace: string },
  questions: readonly FactQuestion[],
): Screen {
  const message = messages.states.chooseFacts({ tool })
  const fields = questions.map(({ fact, choices, selected }) =>
    field({
      messages,
      id: `fact-${fact.name}`,
      name: getControlName(fact.name),
      label: fact['x-i18n']?.[language]?.title ?? fact.title,
      kind: 'select',
      isRequired: true,
      value: selected,
      options: choices.map(({ value, label }) => ({ value, text: label ?? value })),
    }),
  )
  const main = html`${stateHeader({ mark: [tile(workspace), toolTile(tool, icon)], ...message })}
<form method="post">${fields}${actions(button({ text: messages.action.continue }))}</form>`
  return {
    state: 'chooseFacts',
    status: 200,
    title: message.title,
    main,
    // The form ends at the host application, at any https origin.
    formActionCsp: { sameOriginOnly: false, formOrigins: [] },
    disablesOnSubmit: true,
  }
}
