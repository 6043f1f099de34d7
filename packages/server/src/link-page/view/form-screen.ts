import { actions } from '../../page/components/actions.ts'
import { button } from '../../page/components/button.ts'
import { ICONS } from '../../page/components/icons.ts'
import { notice } from '../../page/components/notice.ts'
import { hidden } from '../../page/components/search.ts'
import { stateHeader } from '../../page/components/state-header.ts'
import { tile } from '../../page/components/tile.ts'
import { type Html, html } from '../../page/html.ts'
import type { Text } from '../../page/phrase.ts'
import { newAttemptId } from '../attempt/new-attempt-id.ts'
import type { FormField } from '../form/form-field.ts'
import type { FormTargets } from '../open/form-targets.ts'
import type { Tool, Way } from '../open/tools.ts'
import { visitField } from '../visit/visit.ts'
import { drawFields } from './draw-fields.ts'
import { faultSummary } from './fault-summary.ts'
import { formUrl, type Page } from './page.ts'
import type { Screen } from './screen.ts'
import { waitingTemplates } from './templates.ts'
import { isCustom, toolIcon } from './tool-names.ts'
import { pageBar } from './way-out.ts'

/** What a form is about. */
export interface FormView {
  readonly tool: Tool
  readonly way: Way
  readonly fields: readonly FormField[]
  readonly back: string | undefined
  readonly targets: FormTargets
  /** The id of a form that was not used up. Absent: a new one. */
  readonly attempt?: string | undefined
  /** What is shown over a form that was sent. */
  readonly sent?: SentForm | undefined
}

/** How a form that was sent comes back. */
export interface SentForm {
  readonly status: number
  /** What was typed, without secrets. */
  readonly typed: ReadonlyMap<string, string>
  /** What is wrong, by field. */
  readonly faults: ReadonlyMap<string, Text | Html>
  /** A secret was sent that is right as far as we know, and must be entered again: it is not kept. */
  readonly isSecretGone: boolean
  /** What went wrong as a whole. */
  readonly sentence: Text | undefined
  /** The integration's own words about it. */
  readonly hint: string | undefined
  /** The code of the failure, for the script. */
  readonly code: string | undefined
}

/** The form of one way to connect a tool: its fields, and the one button. Signing in without fields is a form as well. */
export function formScreen(page: Page, view: FormView): Screen {
  const { words, by } = page
  const { tool, way, back, sent } = view
  const { definition } = tool
  const facts = { workspace: by, tool: definition.name, host: way.host ?? definition.name }
  const isSignIn = way.kind === 'sign_in'
  const state = isSignIn ? 'signIn' : 'form'
  const told = isSignIn ? words.states.signIn(facts) : undefined
  const title = told?.title ?? words.form.title(facts)
  const attempt = view.attempt ?? newAttemptId()
  // Who comes back to a form has read it: what went wrong comes first.
  const custom = isCustom(definition) ? customNotice(page, view) : ''
  const main = html`${pageBar(page, { back })}${stateHeader({
    mark: [tile(by, page.logo), tile(definition.name, toolIcon(definition))],
    title,
    body: told?.body ?? words.form.who(facts),
  })}${faultSummary(page, view)}${sent === undefined ? custom : ''}
${drawForm(page, view, attempt)}
${sent === undefined ? '' : custom}
<p class="quiet">${isSignIn ? words.states.beforeSignIn(facts).body : words.form.body(facts)}</p>
${waitingTemplates(page, definition.name)}${FAULT}`
  return {
    state: sent === undefined ? state : 'failed',
    status: sent?.status ?? 200,
    title: sent?.sentence ?? title,
    main,
    targets: view.targets,
    data: {
      'data-attempt': attempt,
      'data-kind': state,
      'data-key': definition.key,
      'data-code': sent?.code,
    },
  }
}

function drawForm(page: Page, { tool, way, fields, sent }: FormView, attempt: string): Html {
  const { action } = page.words
  const { name, key } = tool.definition
  const isSignIn = way.kind === 'sign_in'
  const what = isSignIn ? 'sign-in' : 'connect'
  const named = { tool: name }
  const send = isSignIn
    ? button({ text: action.continueTo(named), icon: 'external' })
    : button({ text: action.connect(named) })
  return html`<form method="post" action="${formUrl(page, what, { integration: key, auth: way.authType })}" novalidate data-form="${what}" data-tool="${name}"${target(page, isSignIn)}>
${hidden(hiddenFields(page, { tool, way }, attempt))}
${drawFields(page.words, fields, sent)}
${actions(send)}
</form>`
}

/** The line under a field, for the script to fill in. */
const FAULT = html`<template data-words="fault"><p class="error">${ICONS.alert}<span></span></p></template>`

/** A provider's page must not stand in a frame: without a script it opens in a window of its own. */
function target({ mode }: Page, isSignIn: boolean): Html | string {
  return isSignIn && mode === 'frame' ? html` target="_blank"` : ''
}

function hiddenFields(
  { visit, window }: Page,
  { tool, way }: Pick<FormView, 'tool' | 'way'>,
  attempt: string,
): Record<string, string | undefined> {
  return {
    visit: visitField(visit),
    attempt,
    integration: tool.definition.key,
    auth: way.authType,
    // What to call it, should it be gone when the form arrives.
    tool: tool.definition.name,
    window: way.kind === 'sign_in' ? (window ?? '') : undefined,
  }
}

function customNotice({ words, by }: Page, { tool, way }: FormView): Html {
  const facts = { workspace: by, tool: tool.definition.name, host: way.host ?? '' }
  const text =
    way.kind === 'sign_in' ? words.states.beforeSignIn(facts).title : words.form.custom(facts)
  return notice({ kind: 'warning', text })
}
