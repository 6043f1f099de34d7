import { html } from '../../platform/ui/html.ts'
import { panel, submitButton } from '../parts/content.ts'
import type { Screen } from '../screen.ts'

const PATH = '/console/keys'

/** Which keys are there, and may single letters be keys? */
export const keysScreen: Screen = {
  path: '/keys',
  async show({ words, formFields, hasLetterKeys }) {
    const { keys } = words
    return {
      title: keys.title,
      section: 'settings',
      main: html`<div class="stack form">${panel(
        keys.all,
        html`<dl class="facts keys">${keys.list.map(
          ([keyNames, text]) =>
            html`<div><dt>${keyNames.split(' ').map((key) => html`<kbd>${key}</kbd> `)}</dt><dd>${text}</dd></div>`,
        )}</dl>`,
      )}${panel(
        keys.letters,
        html`<form method="post" action="${PATH}" class="stack" data-turbo="false">${formFields(PATH)}<p>${hasLetterKeys ? keys.areOn : keys.areOff}</p><input type="hidden" name="letters" value="${hasLetterKeys ? 'off' : 'on'}"><div class="buttons">${submitButton({ text: hasLetterKeys ? keys.turnOff : keys.turnOn })}</div></form>`,
      )}</div>`,
    }
  },
}
