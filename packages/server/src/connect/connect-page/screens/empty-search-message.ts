import { actions, button } from '../../../platform/ui/button.ts'
import { type Html, html } from '../../../platform/ui/html.ts'
import type { IntegrationOption } from '../integration-offer.ts'
import { buildPageUrl, type PageContext } from '../page/page-context.ts'
import { searchItems } from '../search/match-search.ts'

/**
 * Shown when no integration matches the search: that the named one is not set up yet, else to check the spelling. While
 * something matches, the texts are in templates for the script, which searches while the person types.
 */
export function emptySearchMessage(
  page: PageContext,
  unavailable: readonly IntegrationOption[],
  isEmpty: boolean,
): Html {
  const { q } = page.query
  if (!isEmpty)
    return html`${template('noMatch', noMatchMessage(page))}${template('notSetUp', notSetUpMessage(page, unavailable))}`
  const named =
    q === undefined ? [] : searchItems(unavailable, ({ definition }) => definition.name, q)
  return named.length === 0 ? noMatchMessage(page) : notSetUpMessage(page, named)
}

function noMatchMessage(page: PageContext): Html {
  const { messages, query } = page
  const { title, body } = messages.picker.noMatch({ query: query.q ?? query.category ?? '' })
  return html`<div data-none><p><strong>${title}</strong></p><p class="quiet">${body}</p>${clearButton(page)}</div>`
}

/** One entry per integration; the script removes those that the query does not name. */
function notSetUpMessage(page: PageContext, unavailable: readonly IntegrationOption[]): Html {
  const { messages, workspaceName: workspace } = page
  const entries = unavailable.map(({ definition }) => {
    const { title, body } = messages.states.appMissing({ workspace, tool: definition.name })
    return html`<div data-text="${definition.name}"><p><strong>${title}</strong></p><p class="quiet">${body}</p></div>`
  })
  return html`<div data-none>${entries}${clearButton(page)}</div>`
}

function clearButton(page: PageContext): Html {
  return actions(
    button({
      text: page.messages.picker.clear,
      kind: 'quiet',
      href: buildPageUrl(page),
      attributes: { 'data-go': true, 'data-clear': true },
    }),
  )
}

function template(name: string, content: Html): Html {
  return html`<template data-words="${name}">${content}</template>`
}
