import { html } from '../../platform/ui/html.ts'
import { linkButton, panel } from '../parts/content.ts'
import { emptyState } from '../parts/table.ts'
import type { Screen } from '../screen.ts'

/** Is it well, and what needs a person? */
export const overviewScreen: Screen = {
  path: '',
  async show({ words }) {
    return {
      title: words.sections.overview,
      section: 'overview',
      main: html`${panel(words.sections.connections, emptyState({ icon: 'connections', text: '', action: linkButton({ text: words.sections.connections }, '/console/connections') }))}`,
    }
  },
}
