import { button } from '../../page/components/button.ts'
import { html } from '../../page/html.ts'
import { failureSentence } from '../../page/words/failure-sentence.ts'
import type { VisitAttemptRow } from '../../storage/tables.ts'
import { saidCode } from '../form/said-code.ts'
import type { LinkPageDeps } from '../link-page-deps.ts'
import { connectedScreen } from '../view/connected.ts'
import { hintText } from '../view/hint-text.ts'
import { type Page, pageUrl } from '../view/page.ts'
import type { Screen } from '../view/screen.ts'
import { waitingTemplates } from '../view/templates.ts'
import { toldScreen } from '../view/told.ts'
import { pageBar } from '../view/way-out.ts'
import { type AttemptState, attemptState } from './attempt-state.ts'

/**
 * How the attempt in the address stands, so that a reload shows it again; undefined when this visit has no such attempt.
 * `again`: the form was sent a second time.
 */
export async function attemptScreen(
  deps: LinkPageDeps,
  page: Page,
  {
    attempt = page.query.attempt,
    again = false,
  }: { attempt?: string | undefined; again?: boolean } = {},
): Promise<Screen | undefined> {
  if (attempt === undefined) return undefined
  const visit = { visitHash: page.visit.hash, linkId: page.link.link_id }
  const row = await deps.visitAttempts.find(visit, attempt)
  if (row === undefined) return undefined
  const now = attemptState(row, deps.now())
  if (now.state === 'connected') {
    const account = await deps.visitAttempts.account(visit, attempt)
    return account === undefined ? undefined : connectedScreen(page, account, { attempt, again })
  }
  const definition = await deps.definitions.find(page.reach, row.definition_id)
  if (definition === undefined) return undefined
  const tool = { name: definition.name, key: definition.key }
  if (now.state !== 'failed') return runningScreen(page, row, tool, again)
  const ways = await deps.readWays([definition], async () => [definition])
  const way = ways.get(definition.bundle_sha256)?.find((one) => one.authType === row.auth_type)
  const said = saidCode(way?.fields ?? [], now.code)
  return failedScreen(page, row, tool, { ...now, said })
}

type Failed = Extract<AttemptState, { state: 'failed' }>

interface Named {
  readonly name: string
  readonly key: string
}

function runningScreen(page: Page, row: VisitAttemptRow, tool: Named, again: boolean): Screen {
  const { words } = page
  const isSignIn = row.kind === 'sign_in'
  const facts = { tool: tool.name }
  const told = isSignIn ? words.states.waitingSignIn(facts) : words.states.stillRunning(facts)
  const screen = toldScreen(isSignIn ? 'waitingSignIn' : 'stillRunning', told, {
    status: again ? 409 : 200,
    mark: 'wait',
    bar: pageBar(page, { back: placeUrl(page, row, tool) }),
    buttons: [
      button({
        text: words.action.checkAgain,
        href: pageUrl(page, { attempt: row.attempt_id }),
        attributes: { 'data-go': true },
      }),
      isSignIn
        ? button({
            text: words.action.startAgain,
            kind: 'quiet',
            href: placeUrl(page, row, tool),
            attributes: { 'data-go': true },
          })
        : undefined,
    ],
    data: { 'data-attempt': row.attempt_id, 'data-key': tool.key },
  })
  return { ...screen, main: html`${screen.main}${waitingTemplates(page, tool.name)}` }
}

function failedScreen(
  page: Page,
  row: VisitAttemptRow,
  tool: Named,
  { code, hint, said }: Failed & { readonly said: string },
): Screen {
  const { words, by } = page
  const { title } = words.states.failed({ tool: tool.name })
  const sentence = failureSentence(words, said, { tool: tool.name, workspace: by })
  const screen = toldScreen(
    'failed',
    { title, body: sentence },
    {
      mark: 'bad',
      bar: pageBar(page),
      buttons: [
        button({
          text: words.action.tryAgain,
          href: placeUrl(page, row, tool),
          attributes: { 'data-go': true },
        }),
        page.link.definition_id === null
          ? button({
              text: words.action.chooseAnother,
              kind: 'quiet',
              href: pageUrl(page),
              attributes: { 'data-go': true },
            })
          : undefined,
      ],
      data: { 'data-attempt': row.attempt_id, 'data-code': code, 'data-key': tool.key },
    },
  )
  return hint === undefined
    ? screen
    : { ...screen, main: html`${screen.main}<p class="quiet lines">${hintText(words, hint)}</p>` }
}

function placeUrl(page: Page, { auth_type: auth }: VisitAttemptRow, { key }: Named): string {
  return pageUrl(page, { integration: key, auth })
}
