import type { Messages } from '../../i18n/messages.ts'
import type { DefinitionRow } from '../../storage/tables.ts'
import { assetUrl } from '../../ui/assets.ts'

/** What a category is called on the page; one of the workspace's own is shown as it is. */
export function getCategoryName(
  { picker }: Messages,
  { type_key, type_name }: Pick<DefinitionRow, 'type_key' | 'type_name'>,
): string {
  const names: Readonly<Record<string, string>> = picker.category
  const key = type_key.toLowerCase()
  return (Object.hasOwn(names, key) ? names[key] : undefined) ?? type_name
}

/** Whether the workspace brought the integration itself: nobody else has looked at it. */
export function isCustomIntegration({
  release_stage,
}: Pick<DefinitionRow, 'release_stage'>): boolean {
  return release_stage === 'CUSTOM'
}

/** Our own icon of a tool. One that a workspace brought gets none: its name could be anybody's (quality T15). */
export function getIntegrationIcon(
  definition: Pick<DefinitionRow, 'key' | 'release_stage'>,
): string | undefined {
  return isCustomIntegration(definition) ? undefined : assetUrl(`icons/${definition.key}.svg`)
}

/** What a person should know about a tool before choosing it. Release stages are for developers, not for them. */
export function getIntegrationBadges(
  { picker }: Messages,
  definition: Pick<DefinitionRow, 'release_stage'>,
): string[] {
  return isCustomIntegration(definition) ? [picker.custom] : []
}
