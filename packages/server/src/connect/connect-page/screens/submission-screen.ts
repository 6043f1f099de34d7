import { getFailureMessage } from '../../../platform/i18n/language.ts'
import { button } from '../../../platform/ui/field.ts'
import { html } from '../../../platform/ui/html.ts'
import { type Screen, statusScreen } from '../../../platform/ui/screen.ts'
import type { Submission } from '../../attempts/submission.ts'
import { getSessionOutcome } from '../../oauth-flow/session/end-session.ts'
import { isSameBrowser, type OAuthSession } from '../../oauth-flow/session/oauth-session.ts'
import { openSessionSecrets } from '../../oauth-flow/session/session-context.ts'
import type { ConnectPageDeps } from '../connect-page-deps.ts'
import { getFailureMessageName } from '../form/field-texts.ts'
import { getSubmissionState, isAwaitingChoice, type SubmissionState } from '../get-submission.ts'
import { buildPageUrl, type PageContext } from '../page/page-context.ts'
import { deriveBrowserSecret } from '../page/page-session.ts'
import { connectedScreen, existingSignInScreen } from './connected-screen.ts'
import { pageHeader, waitingTemplates } from './page-header.ts'
import { hintText } from './render-fields.ts'

/**
 * The screen of the submission in the URL, so that a reload shows it again; undefined when the session has no such
 * submission. `isResubmission`: the form was submitted a second time.
 */
export async function submissionScreen(
  deps: ConnectPageDeps,
  page: PageContext,
  {
    submissionId = page.query.attempt,
    isResubmission = false,
  }: { submissionId?: string | undefined; isResubmission?: boolean } = {},
): Promise<Screen | undefined> {
  if (submissionId === undefined) return undefined
  const sessionKey = { sessionHash: page.session.hash, pageId: page.pageId }
  const row = await deps.submissions.find(sessionKey, submissionId)
  if (row === undefined) return undefined
  const current = getSubmissionState(row, deps.now())
  const definition = await deps.definitions.find(page.access, row.definitionId)
  if (current.state === 'connected') {
    const account = await deps.submissions.account(sessionKey, submissionId)
    return account === undefined
      ? undefined
      : connectedScreen(page, account, {
          submissionId,
          isResubmission,
          definition,
          confirmToken: await findConfirmToken(deps, page, row),
        })
  }
  if (definition === undefined) return undefined
  const integration = { name: definition.name, key: definition.key }
  const isOpen = current.state === 'failed' && page.connectSession?.completedAt === null
  if (isAwaitingChoice(row) && isOpen && current.code === row.code)
    return existingSignInScreen(page, definition, submissionId, await findSignedInAs(deps, row))
  if (current.state !== 'failed') return runningScreen(page, row, integration, isResubmission)
  const authMethods = await deps.readAuthMethods([definition], async () => [definition])
  const authMethod = authMethods
    .get(definition.bundleSha256)
    ?.find((method) => method.authType === row.authType)
  const displayedCode = getFailureMessageName(authMethod?.fields ?? [], current.code)
  return failedScreen(page, row, integration, { ...current, displayedCode })
}

/** The token with which the host confirms that the person who returns is the one it sent; undefined if it need not. */
async function findConfirmToken(
  deps: ConnectPageDeps,
  page: PageContext,
  { oauthSessionId }: Submission,
): Promise<string | undefined> {
  if (page.query.redirectURL === undefined || oauthSessionId === null) return undefined
  const session = await deps.oauthSessions.find(oauthSessionId)
  const secret = session?.needsConfirmation ? getConfirmSecret(page, session) : undefined
  if (session === undefined || secret === undefined) return undefined
  const outcome = await getSessionOutcome(deps, session, secret)
  return typeof outcome === 'object' && 'confirmToken' in outcome ? outcome.confirmToken : undefined
}

/**
 * What the confirmation token of a sign-in of this page is derived from: the secret of the browser that signed in. A frame has no
 * cookie, so there it is the secret of its page, which started the sign-in. Undefined for another browser.
 */
export function getConfirmSecret(
  { session, browserSecret }: Pick<PageContext, 'session' | 'browserSecret'>,
  { browserHash }: Pick<OAuthSession, 'browserHash'>,
): string | undefined {
  if (session.kind === 'frame') return deriveBrowserSecret(session)
  return isSameBrowser(browserSecret, browserHash) ? browserSecret : undefined
}

/** The tool's name of the user of a sign-in that awaits a choice. */
async function findSignedInAs(
  { oauthSessions, vault }: Pick<ConnectPageDeps, 'oauthSessions' | 'vault'>,
  { oauthSessionId }: Submission,
): Promise<string | undefined> {
  const session = oauthSessionId === null ? undefined : await oauthSessions.find(oauthSessionId)
  if (session?.sealedSecrets == null) return undefined
  const { proven } = await openSessionSecrets(vault, session, session.sealedSecrets)
  return proven?.identityLabel
}

type FailedState = Extract<SubmissionState, { state: 'failed' }>

interface IntegrationName {
  readonly name: string
  readonly key: string
}

function runningScreen(
  page: PageContext,
  row: Submission,
  integration: IntegrationName,
  isResubmission: boolean,
): Screen {
  const { messages } = page
  const isSignIn = row.kind === 'sign_in'
  const params = { tool: integration.name }
  const message = isSignIn
    ? messages.states.waitingSignIn(params)
    : messages.states.stillRunning(params)
  const screen = statusScreen(isSignIn ? 'waitingSignIn' : 'stillRunning', message, {
    status: isResubmission ? 409 : 200,
    mark: 'wait',
    header: pageHeader(page, { back: buildStepUrl(page, row, integration) }),
    buttons: [
      button({
        text: messages.action.checkAgain,
        href: buildPageUrl(page, { attempt: row.submissionId }),
        attributes: { 'data-go': true },
      }),
      isSignIn
        ? button({
            text: messages.action.startAgain,
            kind: 'quiet',
            href: buildStepUrl(page, row, integration),
            attributes: { 'data-go': true },
          })
        : undefined,
    ],
    data: { 'data-attempt': row.submissionId, 'data-key': integration.key },
  })
  return { ...screen, main: html`${screen.main}${waitingTemplates(page, integration.name)}` }
}

function failedScreen(
  page: PageContext,
  row: Submission,
  integration: IntegrationName,
  { code, hint, displayedCode }: FailedState & { readonly displayedCode: string },
): Screen {
  const { messages, workspaceName } = page
  const { title } = messages.states.failed({ tool: integration.name })
  const body = getFailureMessage(messages, displayedCode, {
    tool: integration.name,
    workspace: workspaceName,
  })
  const screen = statusScreen(
    'failed',
    { title, body: body },
    {
      mark: 'bad',
      header: pageHeader(page),
      buttons: [
        button({
          text: messages.action.tryAgain,
          href: buildStepUrl(page, row, integration),
          attributes: { 'data-go': true },
        }),
        page.link.definitionIds.length !== 1
          ? button({
              text: messages.action.chooseAnother,
              kind: 'quiet',
              href: buildPageUrl(page),
              attributes: { 'data-go': true },
            })
          : undefined,
      ],
      data: { 'data-attempt': row.submissionId, 'data-code': code, 'data-key': integration.key },
    },
  )
  return hint === undefined
    ? screen
    : {
        ...screen,
        main: html`${screen.main}<p class="quiet lines">${hintText(messages, hint)}</p>`,
      }
}

function buildStepUrl(
  page: PageContext,
  { authType: auth }: Submission,
  { key }: IntegrationName,
): string {
  return buildPageUrl(page, { integration: key, auth })
}
