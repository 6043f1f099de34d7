import { getFormatters } from '../language.ts'
import { t } from '../localized-text.ts'
import type { Messages } from '../messages.ts'

const { day, relativeTime } = getFormatters('pt')

/** Portuguese: one message per screen. */
export const ptStates: Messages['states'] = {
  noneInWorkspace: ({ workspace }) => ({
    title: 'Ainda não há nada para conectar',
    body: t`${workspace} ainda não adicionou ferramentas a este link. Peça a ${workspace} que adicione uma.`,
  }),
  noneMatchKeys: ({ workspace }) => ({
    title: 'Não há nada para conectar aqui',
    body: t`Este link pede ferramentas que ${workspace} não oferece. Fale com ${workspace}.`,
  }),
  noneWithSignIn: ({ workspace }) => ({
    title: 'Não há onde entrar',
    body: t`Este link só aceita ferramentas em que você entra com a sua conta, e ${workspace} não configurou nenhuma. Fale com ${workspace}.`,
  }),
  appMissing: ({ workspace, tool }) => ({
    title: t`${tool} ainda não está configurado`,
    body: t`${workspace} precisa configurar a entrada em ${tool} antes que você possa conectá-lo. Fale com ${workspace}.`,
  }),
  appRemoved: ({ workspace, tool }) => ({
    title: t`${tool} não pode ser reconectado agora`,
    body: t`Antes, ${workspace} precisa configurar de novo a entrada em ${tool}. Sua conexão não mudou. Fale com ${workspace}.`,
  }),
  toolGone: ({ workspace }) => ({
    title: 'Esta ferramenta não está mais disponível aqui',
    body: t`${workspace} não a oferece mais. Nada mudou. Fale com ${workspace} se ainda precisar dela.`,
  }),
  signIn: ({ workspace, tool, host }) => ({
    title: t`Conectar ${tool} a ${workspace}`,
    body: t`Você entrará em ${host}, onde verá o que compartilha. ${workspace} nunca vê a sua senha.`,
  }),
  signInAgain: ({ workspace, tool, host }) => ({
    title: t`Reconectar ${tool} a ${workspace}`,
    body: t`Você entrará em ${host}, onde verá o que compartilha. ${workspace} nunca vê a sua senha.`,
  }),
  beforeSignIn: ({ workspace, tool, host }) => ({
    title: t`${workspace} criou esta conexão com ${tool}; ela não foi revisada. Continue somente se você conhece ${host}.`,
    body: t`Você pode desconectar quando quiser. Se você não pediu isto, feche a página: nada é compartilhado com ${workspace}.`,
  }),
  waitingSignIn: ({ tool }) => ({
    title: t`Conclua a entrada em ${tool}`,
    body: t`${tool} está aberto em outra janela. Quando você terminar lá, esta página será atualizada automaticamente.`,
  }),
  popupBlocked: ({ tool }) => ({
    title: 'Seu navegador bloqueou a janela',
    body: t`Continue para ${tool} nesta mesma página. Depois você voltará para cá.`,
  }),
  popupBlockedInFrame: ({ tool }) => ({
    title: 'Seu navegador bloqueou a janela',
    body: t`Continue para ${tool} em uma nova aba. Quando você terminar lá, esta página será atualizada automaticamente.`,
  }),
  windowClosed: ({ tool }) => ({
    title: 'Entrada não concluída',
    body: t`A janela de entrada em ${tool} parece estar fechada. Tente novamente ou, se ela ainda estiver aberta, conclua nela: esta página será atualizada automaticamente.`,
  }),
  checking: ({ tool }) => ({
    title: t`Verificando com ${tool}`,
    body: 'Isso leva alguns segundos. Deixe esta página aberta.',
  }),
  slow: ({ tool }) => ({
    title: t`${tool} está demorando mais que o normal`,
    body: t`Você pode continuar esperando ou tentar mais tarde. Nada é conectado até ${tool} responder.`,
  }),
  offline: () => ({
    title: 'Você está sem conexão',
    body: 'O que você digitou continua aqui. Verifique sua conexão e tente novamente.',
  }),
  connected: ({ workspace, tool }) => ({
    title: t`${tool} está conectado`,
    body: t`Você pode fechar esta página e voltar para ${workspace}.`,
  }),
  connectedAs: ({ workspace, tool, account }) => ({
    title: t`${tool} está conectado`,
    body: t`Conectado como ${account}. Você pode fechar esta página e voltar para ${workspace}.`,
  }),
  failed: ({ tool }) => ({
    title: t`${tool} não foi conectado`,
    body: 'Nada é compartilhado.',
  }),
  alreadyConnected: ({ tool, account }) => ({
    title: t`Você já conectou ${account}`,
    body: t`Atualize a conexão existente com ${tool} ou adicione outra. Até você escolher, nada muda.`,
  }),
  expired: ({ workspace, at }) => ({
    title: t`Este link expirou em ${day(at)}`,
    body: t`Peça um novo a ${workspace}. O que você já conectou continua conectado.`,
  }),
  revoked: ({ workspace }) => ({
    title: t`${workspace} encerrou este link`,
    body: t`Peça um novo a ${workspace}. O que você já conectou continua conectado.`,
  }),
  unknownLink: () => ({
    title: 'Não encontramos este link',
    body: 'Talvez falte uma parte. Abra-o novamente de onde você o recebeu ou peça um novo.',
  }),
  full: ({ workspace }) => ({
    title: 'Este link atingiu o limite',
    body: t`Tudo o que ele permite já está conectado. Peça um novo a ${workspace}.`,
  }),
  identifierFull: ({ workspace }) => ({
    title: 'Você conectou tudo o que este link permite',
    body: t`Para conectar mais, peça um novo link a ${workspace}.`,
  }),
  alreadyFinished: ({ tool }) => ({
    title: 'Isto já foi feito',
    body: t`Você já enviou este formulário de ${tool}. Nada foi feito duas vezes.`,
  }),
  stillRunning: ({ tool }) => ({
    title: t`Ainda estamos verificando com ${tool}`,
    body: 'Você já enviou este formulário. A verificação continua, e nada é feito duas vezes.',
  }),
  rateLimited: ({ seconds }) => ({
    title: 'Muitas solicitações',
    body: t`Tente novamente ${relativeTime(seconds)}. O que já está conectado continua conectado.`,
  }),
  tooManyFailed: ({ seconds }) => ({
    title: 'Muitas tentativas sem sucesso',
    body: t`Muitas tentativas do seu navegador ou da sua rede foram recusadas. Tente novamente ${relativeTime(seconds)}. O que já está conectado continua conectado.`,
  }),
  notHere: () => ({
    title: 'Esta página não pode ser exibida aqui',
    body: 'Este site não está na lista dos que podem exibi-la. Peça à empresa responsável pelo site que o adicione.',
  }),
  notOurs: () => ({
    title: 'Não foi possível enviar este formulário',
    body: 'Para sua segurança, só aceitamos formulários desta própria página, por isso nada foi feito. Abra seu link novamente e envie o formulário por lá.',
  }),
  sessionStart: ({ workspace }) => ({
    title: t`${workspace} pede que conecte uma ferramenta`,
    body: t`Na próxima página, você escolhe o que conectar. Continue somente se veio de ${workspace}; depois disso, a página funciona apenas neste navegador.`,
  }),
  sessionStartOne: ({ workspace, tool }) => ({
    title: t`Conectar ${tool} a ${workspace}`,
    body: t`Continue somente se veio de ${workspace}; depois disso, a página funciona apenas neste navegador.`,
  }),
  sessionRefused: () => ({
    title: 'Não é possível usar esta página',
    body: 'Ela funciona uma vez, em um só navegador e por tempo limitado. Volte para onde estava e comece de novo.',
  }),
  sessionUsed: ({ workspace }) => ({
    title: 'Este link já foi usado',
    body: t`O que ele permitia já foi feito. Para conectar outra coisa, peça um novo a ${workspace}.`,
  }),
  sessionElsewhere: ({ workspace }) => ({
    title: 'Este link foi aberto em outro navegador',
    body: t`Para sua segurança, ele funciona apenas no primeiro navegador que o abriu. Continue lá ou peça um novo a ${workspace}.`,
  }),
  sessionRequired: () => ({
    title: 'Esta página exige um convite',
    body: 'Volte ao aplicativo que enviou você para cá e comece por lá.',
  }),
  wrongAddress: () => ({
    title: 'Este link não é válido',
    body: 'Ele não indica corretamente para quem é, por isso nada foi feito. Fale com a empresa que o enviou.',
  }),
  notOffered: ({ workspace, tool }) => ({
    title: t`${tool} não está mais disponível aqui`,
    body: t`${workspace} mudou este link. Nada está conectado, e não guardamos nada do que você digitou.`,
  }),
  wayChanged: ({ workspace, tool }) => ({
    title: t`${tool} agora é conectado de outra forma`,
    body: t`${workspace} mudou esta conexão. Nada está conectado, e não guardamos nada do que você digitou.`,
  }),
  redirectNotAllowed: () => ({
    title: 'Este link volta para um endereço não permitido',
    body: 'A empresa que o enviou não permitiu esse endereço, por isso nada foi feito. Fale com essa empresa.',
  }),
  busy: () => ({
    title: 'Não podemos continuar agora',
    body: 'O problema é nosso, e nada foi conectado. Espere um minuto e comece de novo.',
  }),
  closed: () => ({
    title: 'Você pode fechar esta janela',
    body: 'A página de onde você veio será atualizada automaticamente.',
  }),
  notKnown: () => ({
    title: 'Esta página expirou',
    body: 'Ela já foi usada ou se passaram 10 minutos. Volte para onde você estava e comece de novo.',
  }),
  finished: () => ({
    title: 'Isto já foi feito',
    body: 'Você pode fechar esta página. A página de onde você veio mostra se a conexão funcionou.',
  }),
  adminConsent: () => ({
    title: 'A permissão do administrador foi concedida',
    body: 'Nada está conectado ainda. Volte ao aplicativo que você quer conectar e comece por lá.',
  }),
  startedElsewhere: () => ({
    title: 'Este login precisa começar em outro lugar',
    body: 'O aplicativo que você quer conectar não o iniciou, por isso nada foi conectado. Abra esse aplicativo e conecte por lá.',
  }),
  otherBrowser: () => ({
    title: 'Isto foi iniciado em outro navegador',
    body: 'Para sua segurança, interrompemos e nada foi conectado. Comece de novo e use um só navegador. Os cookies precisam estar permitidos.',
  }),
}
