import { getFormatters } from '../language.ts'
import { t } from '../localized-text.ts'
import type { PortalMessages } from '../portal-messages.ts'

const { day, daysAgo, number, plural } = getFormatters('fr')

/** French. */
export const frPortal: PortalMessages = {
  start: ({ workspace }) => ({
    title: t`Vos connexions à ${workspace}`,
    body: t`La page suivante montre ce que vous avez connecté à ${workspace}. Continuez seulement si vous venez de ${workspace} ; cette page ne fonctionne ensuite que dans ce navigateur.`,
  }),
  title: ({ workspace }) => t`Vos connexions à ${workspace}`,
  body: 'Déconnectez ce dont vous n’avez plus besoin.',
  attention: ({ count, total }) =>
    plural(count, {
      one: `${number(count)} connexion sur ${number(total)} demande votre attention`,
      other: `${number(count)} connexions sur ${number(total)} demandent votre attention`,
    }),
  none: ({ workspace }) => ({
    title: 'Rien n’est connecté',
    body: t`Les outils que vous connectez à ${workspace} apparaissent ici.`,
  }),
  signedInAs: ({ account }) => t`Connecté en tant que ${account}`,
  connectedOn: ({ at }) => `Ajouté le ${day(at)}`,
  lastUsedOn: ({ at }) => `Dernière utilisation le ${day(at)}`,
  lastUsedAgo: ({ count }) => `Dernière utilisation : ${daysAgo(count)}`,
  neverUsed: 'Pas encore utilisé',
  active: 'Fonctionne',
  needsReauth: 'Ne fonctionne plus. Connectez-le à nouveau.',
  error: ({ workspace }) =>
    t`Ne fonctionne pas pour le moment. ${workspace} doit corriger le problème.`,
  pending: ({ workspace }) => t`En attente de confirmation par ${workspace}`,
  more: ({ tool, account }) => t`Plus d’actions pour ${tool} : ${account}`,
  disconnect: 'Déconnecter',
  disconnectAccount: ({ tool, account }) => t`Déconnecter ${tool} : ${account}`,
  reconnect: 'Reconnecter',
  reconnectAccount: ({ tool, account }) => t`Reconnecter ${tool} : ${account}`,
  connectFirst: 'Connecter un outil',
  showMore: 'Afficher plus',
  yourConnections: 'Vos connexions',
  ask: ({ tool, workspace }) => ({
    title: t`Déconnecter ${tool} ?`,
    body: t`${workspace} ne pourra plus utiliser cette connexion, et ce que nous avons enregistré sera effacé. Vous pourrez reconnecter ${tool} à tout moment.`,
  }),
  confirm: ({ tool }) => t`Déconnecter ${tool}`,
  keep: 'Garder la connexion',
  disconnected: ({ tool }) => t`${tool} est déconnecté`,
  revoked: ({ tool }) =>
    t`${tool} a confirmé la révocation de l’accès, et nous avons effacé ce que nous avions enregistré.`,
  revocationUnsupported: ({ tool }) =>
    t`Nous avons effacé ce que nous avions enregistré. ${tool} ne nous permet pas de révoquer l’accès ; vous pouvez le faire dans vos paramètres de ${tool}.`,
  revocationFailed: ({ tool }) =>
    t`Nous avons effacé ce que nous avions enregistré, mais ${tool} n’a pas confirmé la révocation. Par sécurité, supprimez l’accès dans vos paramètres de ${tool}.`,
  grantShared: ({ tool }) =>
    t`Nous avons effacé ce que nous avions enregistré. Une autre connexion utilise le même accès à ${tool} ; il sera révoqué quand vous la déconnecterez aussi.`,
  nothingToRevoke: ({ tool }) =>
    t`Nous avons effacé ce que nous avions enregistré. Si vous aviez créé une clé, supprimez-la dans vos paramètres de ${tool}.`,
  gone: () => ({
    title: 'Cette connexion n’est plus dans la liste',
    body: 'Elle est peut-être déjà déconnectée. Rien n’a été modifié.',
  }),
}
