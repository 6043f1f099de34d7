import { getFormatters } from '../formatters.ts'
import { t } from '../localized-text.ts'
import type { Messages } from '../messages.ts'

const { day, relativeTime } = getFormatters('fr')

/** French: what is so, and what it means. */
export const frStates: Messages['states'] = {
  noneInWorkspace: ({ workspace }) => ({
    title: 'Il n’y a encore rien à connecter',
    body: t`${workspace} n’a ajouté aucun outil à ce lien. Demandez à ${workspace} d’en ajouter un.`,
  }),
  noneMatchKeys: ({ workspace }) => ({
    title: 'Il n’y a rien à connecter ici',
    body: t`${workspace} a demandé des outils qui n’y sont pas proposés. Signalez-le à ${workspace}.`,
  }),
  noneWithSignIn: ({ workspace }) => ({
    title: 'Aucun outil ne permet de se connecter',
    body: t`Ce lien n’accepte que les outils auxquels on se connecte, et ${workspace} n’en a préparé aucun. Signalez-le à ${workspace}.`,
  }),
  appMissing: ({ workspace, tool }) => ({
    title: t`La connexion à ${tool} n’est pas encore prête`,
    body: t`C’est à ${workspace} de s’en charger. Prévenez ${workspace}.`,
  }),
  signIn: ({ workspace, tool, host }) => ({
    title: t`${workspace} souhaite se connecter à votre ${tool}`,
    body: t`Vous vous connectez sur ${host} et y voyez ce que vous partagez. ${workspace} ne voit jamais votre mot de passe.`,
  }),
  signInAgain: ({ workspace, tool, host }) => ({
    title: t`${workspace} souhaite se connecter de nouveau à votre ${tool}`,
    body: t`Vous vous connectez sur ${host} et y voyez ce que vous partagez. ${workspace} ne voit jamais votre mot de passe.`,
  }),
  beforeSignIn: ({ workspace, tool, host }) => ({
    title: t`${workspace} a ajouté ${tool} et personne d’autre ne l’a vérifié. Ne continuez que si vous connaissez ${host}.`,
    body: t`Vous pouvez déconnecter à tout moment. Si vous n’avez rien demandé, fermez cette page : ${workspace} ne reçoit rien.`,
  }),
  waitingSignIn: ({ tool }) => ({
    title: t`Terminez la connexion à ${tool}`,
    body: t`${tool} est ouvert dans une autre fenêtre. Quand vous y aurez terminé, cette page continuera d’elle-même.`,
  }),
  popupBlocked: ({ tool }) => ({
    title: 'Votre navigateur a bloqué la fenêtre',
    body: t`Continuez plutôt vers ${tool} dans cette page. Vous reviendrez ici ensuite.`,
  }),
  popupBlockedInFrame: ({ tool }) => ({
    title: 'Votre navigateur a bloqué la fenêtre',
    body: t`Continuez plutôt vers ${tool} dans un nouvel onglet. Ensuite, cette page continue d’elle-même.`,
  }),
  windowClosed: ({ tool }) => ({
    title: 'La fenêtre est-elle encore ouverte ?',
    body: t`Si oui, terminez-y la connexion à ${tool}. Sinon, rouvrez-la. Cette page continue d’elle-même.`,
  }),
  checking: ({ tool }) => ({
    title: t`Vérification avec ${tool}`,
    body: 'Cela prend quelques secondes. Gardez cette page ouverte.',
  }),
  slow: ({ tool }) => ({
    title: t`${tool} met plus de temps que d’habitude`,
    body: t`Vous pouvez attendre encore ou réessayer plus tard. Rien n’est connecté tant que ${tool} n’a pas répondu.`,
  }),
  offline: () => ({
    title: 'Vous êtes hors ligne',
    body: 'Ce que vous avez saisi est toujours là. Vérifiez votre connexion à Internet, puis réessayez.',
  }),
  connected: ({ tool, workspace }) => ({
    title: t`${tool} est connecté`,
    body: t`Vous pouvez fermer cette page et revenir à ${workspace}.`,
  }),
  connectedAs: ({ tool, workspace, account }) => ({
    title: t`${tool} est connecté`,
    body: t`Connecté en tant que ${account}. Vous pouvez fermer cette page et revenir à ${workspace}.`,
  }),
  failed: ({ tool }) => ({
    title: t`${tool} n’a pas été connecté`,
    body: 'Rien n’est partagé.',
  }),
  expired: ({ workspace, at }) => ({
    title: t`Ce lien a expiré le ${day(at)}`,
    body: t`Demandez-en un nouveau à ${workspace}. Ce que vous avez déjà connecté le reste.`,
  }),
  revoked: ({ workspace }) => ({
    title: t`${workspace} a fermé ce lien`,
    body: t`Demandez-en un nouveau à ${workspace}. Ce que vous avez déjà connecté le reste.`,
  }),
  unknownLink: () => ({
    title: 'Nous ne connaissons pas ce lien',
    body: 'Il en manque peut-être une partie. Rouvrez-le là où vous l’avez reçu ou demandez-en un nouveau.',
  }),
  full: ({ workspace }) => ({
    title: 'Ce lien est épuisé',
    body: t`Tout ce qu’il permet est connecté. Demandez-en un nouveau à ${workspace}.`,
  }),
  identifierFull: ({ workspace }) => ({
    title: 'Vous avez connecté tout ce que ce lien permet',
    body: t`Pour en connecter davantage, demandez un nouveau lien à ${workspace}.`,
  }),
  alreadyFinished: ({ tool }) => ({
    title: 'C’est déjà terminé',
    body: t`Votre réponse pour ${tool} était déjà arrivée et n’a servi qu’une fois. Rien n’a été fait en double.`,
  }),
  stillRunning: ({ tool }) => ({
    title: t`Nous vérifions encore avec ${tool}`,
    body: 'Vous l’avez déjà envoyé. La vérification continue et rien n’est fait en double.',
  }),
  rateLimited: ({ seconds }) => ({
    title: 'C’était un peu trop rapide',
    body: t`Réessayez ${relativeTime(seconds)}. Ce qui est connecté le reste.`,
  }),
  tooManyFailed: ({ seconds }) => ({
    title: 'Trop de tentatives ont échoué',
    body: t`Trop de tentatives faites d’ici ont été refusées. Réessayez ${relativeTime(seconds)}. Ce qui est connecté le reste.`,
  }),
  notHere: () => ({
    title: 'Cette page ne peut pas s’afficher ici',
    body: 'Le site qui l’entoure ne figure pas parmi ceux qui peuvent l’afficher. Demandez à ses responsables de l’ajouter.',
  }),
  notOurs: () => ({
    title: 'Cela venait d’une autre page',
    body: 'Pour votre sécurité, rien n’a été fait. Ouvrez le lien que vous avez reçu et utilisez son bouton.',
  }),
  wrongAddress: () => ({
    title: 'Ce lien est mal composé',
    body: 'Il n’indique pas correctement pour qui il est, rien n’a donc été fait. Prévenez la personne qui vous l’a donné.',
  }),
  notOffered: ({ tool, workspace }) => ({
    title: t`${tool} n’est plus proposé ici`,
    body: t`${workspace} a modifié ce lien entre-temps. Rien n’est connecté et rien de ce que vous avez saisi n’a été gardé.`,
  }),
  wayChanged: ({ tool, workspace }) => ({
    title: t`${tool} se connecte autrement désormais`,
    body: t`${workspace} l’a modifié entre-temps. Rien n’est connecté et rien de ce que vous avez saisi n’a été gardé.`,
  }),
  redirectNotAllowed: () => ({
    title: 'Ce lien renvoie à une adresse non autorisée',
    body: 'Cette adresse n’a pas été déclarée et rien n’a donc été fait. Signalez-le à la personne qui vous a donné ce lien.',
  }),
  busy: () => ({
    title: 'Nous ne pouvons pas continuer pour le moment',
    body: 'Le problème vient de nous et rien n’a été connecté. Attendez une minute, puis recommencez.',
  }),
  closed: () => ({
    title: 'Vous pouvez fermer cette fenêtre',
    body: 'La page d’où vous venez continue d’elle-même.',
  }),
  notKnown: () => ({
    title: 'Cette page n’est plus valable',
    body: 'Elle a déjà servi ou 10 minutes se sont écoulées. Retournez d’où vous venez et recommencez.',
  }),
  finished: () => ({
    title: 'C’est déjà terminé',
    body: 'Vous pouvez fermer cette page. Là d’où vous venez, vous verrez si la connexion est établie.',
  }),
  otherBrowser: () => ({
    title: 'Cela a commencé dans un autre navigateur',
    body: 'Pour votre sécurité, tout a été arrêté et rien n’a été connecté. Recommencez et restez dans le même navigateur. Les cookies doivent être autorisés.',
  }),
}
