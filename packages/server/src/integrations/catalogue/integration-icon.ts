import { getAssetUrl } from '../../platform/ui/assets.ts'
import type { Definition } from '../definitions/definition.ts'

/** Whether the integration is a custom one of the workspace, which has not been reviewed. */
export function isCustomIntegration({ releaseStage }: Pick<Definition, 'releaseStage'>): boolean {
  return releaseStage === 'CUSTOM'
}

/**
 * The icon that the workspace has set, else that of a catalogue integration. Custom ones have none of ours, since their key
 * could be that of another product.
 */
export function getIntegrationIcon(
  definition: Pick<Definition, 'key' | 'releaseStage' | 'icon'>,
): string | undefined {
  if (definition.icon.startsWith('/icons/')) return definition.icon
  return isCustomIntegration(definition) ? undefined : getAssetUrl(`icons/${definition.key}.svg`)
}
