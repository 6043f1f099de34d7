import type { Message } from '../../../platform/i18n/messages.ts'
import { actions, button } from '../../../platform/ui/button.ts'
import { type StateHeader, stateHeader } from '../../../platform/ui/header.ts'
import { type Html, html } from '../../../platform/ui/html.ts'
import type { PageContext } from '../page/page-context.ts'

/** Templates of the screens that the script shows while it waits, in the language of the page. */
export function waitingTemplates(page: PageContext, tool: string): Html {
  const { messages } = page
  const { action, states } = messages
  const blocked = page.mode === 'frame' ? states.popupBlockedInFrame : states.popupBlocked
  const continueButton = button({
    text: action.continueTo({ tool }),
    attributes: { type: 'button', 'data-same-window': true },
  })
  return html`${[
    template('checking', 'wait', states.checking({ tool })),
    template('slow', 'wait', states.slow({ tool }), templateButton('leave', action.cancel)),
    template(
      'waitingSignIn',
      'wait',
      states.waitingSignIn({ tool }),
      templateButton('open-again', action.openAgain),
      templateButton('leave', action.cancel),
    ),
    template('popupBlocked', 'warning', blocked({ tool }), continueButton),
    template(
      'windowClosed',
      'warning',
      states.windowClosed({ tool }),
      templateButton('open-again', action.tryAgain, 'primary'),
      templateButton('leave', action.cancel),
    ),
    offlineTemplate(page),
  ]}`
}

/** Template for an unreachable server: the entered values are preserved for a retry. */
export function offlineTemplate({ messages: { action, states } }: PageContext): Html {
  return template(
    'offline',
    'warning',
    states.offline({}),
    templateButton('retry', action.tryAgain, 'primary'),
  )
}

function templateButton(name: string, text: string, kind: 'primary' | 'quiet' = 'quiet'): Html {
  return button({ text, kind, attributes: { type: 'button', [`data-${name}`]: true } })
}

function template(
  name: string,
  mark: StateHeader['mark'],
  { title, body }: Message,
  ...buttons: readonly Html[]
): Html {
  return html`<template data-words="${name}">${stateHeader({ mark, title, body })}${
    buttons.length === 0 ? '' : actions(...buttons)
  }</template>`
}
