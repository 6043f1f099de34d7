import type { ReadConfig } from '../form/read-config.ts'
import type { FormPlace } from '../open/place.ts'
import { formScreen } from '../view/form-screen.ts'
import type { Page } from '../view/page.ts'
import type { Screen } from '../view/screen.ts'

/** A form whose visit is over: the same form in a new visit, with what was typed, secrets excepted. Nothing was used. */
export function lostForm(page: Page, place: FormPlace, { typed, hasSecret }: ReadConfig): Screen {
  const { visitLost: sentence } = page.words.form
  const sent = {
    status: 403,
    typed,
    faults: new Map(),
    sentence,
    hint: undefined,
    code: 'visit_lost',
    isSecretGone: hasSecret,
  }
  return formScreen(page, { ...place, sent })
}
