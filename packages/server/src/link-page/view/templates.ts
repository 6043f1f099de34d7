import { actions } from '../../page/components/actions.ts'
import { button } from '../../page/components/button.ts'
import { type StateHeader, stateHeader } from '../../page/components/state-header.ts'
import { type Html, html } from '../../page/html.ts'
import type { Told } from '../../page/words/words.ts'
import type { Page } from './page.ts'

/** Screens that the script shows while it waits, in the language of the page. Without it they stay unseen. */
export function waitingTemplates(page: Page, tool: string): Html {
  const { words } = page
  const { action, states } = words
  const blocked = page.mode === 'frame' ? states.popupBlockedInFrame : states.popupBlocked
  const goOn = button({
    text: action.continueTo({ tool }),
    attributes: { type: 'button', 'data-same-window': true },
  })
  return html`${[
    template('checking', 'wait', states.checking({ tool })),
    template('slow', 'wait', states.slow({ tool }), press('leave', action.cancel)),
    template(
      'waitingSignIn',
      'wait',
      states.waitingSignIn({ tool }),
      press('open-again', action.openAgain),
      press('leave', action.cancel),
    ),
    template('popupBlocked', 'warning', blocked({ tool }), goOn),
    template(
      'windowClosed',
      'wait',
      states.windowClosed({ tool }),
      press('open-again', action.openAgain),
      press('leave', action.cancel),
    ),
    offlineTemplate(page),
  ]}`
}

/** What the script shows when nobody can be reached: everything stays, and can be tried again. */
export function offlineTemplate({ words: { action, states } }: Page): Html {
  return template(
    'offline',
    'warning',
    states.offline({}),
    press('retry', action.tryAgain, 'primary'),
  )
}

function press(name: string, text: string, kind: 'primary' | 'quiet' = 'quiet'): Html {
  return button({ text, kind, attributes: { type: 'button', [`data-${name}`]: true } })
}

function template(
  name: string,
  mark: StateHeader['mark'],
  { title, body }: Told,
  ...buttons: readonly Html[]
): Html {
  return html`<template data-words="${name}">${stateHeader({ mark, title, body })}${
    buttons.length === 0 ? '' : actions(...buttons)
  }</template>`
}
