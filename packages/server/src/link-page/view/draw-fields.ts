import { field } from '../../page/components/field.ts'
import { group } from '../../page/components/group.ts'
import { type Html, html } from '../../page/html.ts'
import { say, type Text } from '../../page/phrase.ts'
import type { Words } from '../../page/words/words.ts'
import { faultWords } from '../form/fault-words.ts'
import type { FormField } from '../form/form-field.ts'
import { controlName } from '../form/read-config.ts'
import type { SentForm } from './form-screen.ts'

/** The fields of a form, those inside an object together. */
export function drawFields(
  words: Words,
  fields: readonly FormField[],
  sent: SentForm | undefined,
): Html[] {
  const groups = Map.groupBy(fields, (one) => one.group?.name ?? one)
  return [...groups.values()].map((all) => {
    const drawn = all.map((one) => drawField(words, one, sent))
    const own = all[0]?.group
    if (own === undefined) return html`${drawn}`
    const { label, isOptional } = own
    const help = own.help === undefined ? undefined : say`${own.help}`
    return group({ words, label, help, isOptional, fields: drawn })
  })
}

function drawField(words: Words, one: FormField, sent: SentForm | undefined): Html {
  return field({
    words,
    id: one.id,
    name: controlName(one),
    label: one.label,
    kind: one.kind,
    isRequired: one.isRequired,
    isOptional: one.isOptional,
    value: one.isSecret ? undefined : (sent?.typed.get(one.name) ?? one.initial),
    help: helpOf(words, one),
    helpUrl: one.helpUrl,
    error: sent?.faults.get(one.name),
    options: one.options,
    attributes: { ...one.attributes, ...faultWords(words, one) },
  })
}

/** What the integration says of a field, and how an answer is written that is more than one line of text. */
function helpOf({ form }: Words, { help, entry }: FormField): Text | Html | undefined {
  const how = entry === undefined ? undefined : form[entry]
  if (help === undefined || how === undefined) return help === undefined ? how : say`${help}`
  return html`${say`${help}`} ${how}`
}
