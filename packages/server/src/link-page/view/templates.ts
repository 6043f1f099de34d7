import { actions } from '../../page/components/actions.ts'
import { button } from '../../page/components/button.ts'
import { type StateHeader, stateHeader } from '../../page/components/state-header.ts'
import { type Html, html } from '../../page/html.ts'
import type { Told } from '../../page/words/words.ts'
import type { Page } from './page.ts'

/** Screens that the script shows while it waits, in the language of the page. Without it they stay unseen. */
export function waitingTemplates({ words }: Page, tool: string): Html {
  const { action, states } = words
  const press = (name: string, text: string, kind: 'primary' | 'quiet' = 'quiet') =>
    button({ text, kind, attributes: { type: 'button', [`data-${name}`]: true } })
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
    template('popupBlocked', 'warning', states.popupBlocked({ tool }), goOn),
    template(
      'windowClosed',
      'info',
      states.windowClosed({ tool }),
      press('open-again', action.openAgain, 'primary'),
      press('leave', action.cancel),
    ),
    template('offline', 'warning', states.offline({}), press('retry', action.tryAgain, 'primary')),
  ]}`
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
