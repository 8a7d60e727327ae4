// The address of a mail trigger: its token at the domain that the operator gave to this server.
import type { Config } from '../../base/config.ts'

type MailSettings = Pick<Config, 'inboundMailPort' | 'inboundMailDomain'>

export const takesMail = ({ inboundMailPort, inboundMailDomain }: MailSettings): boolean =>
  inboundMailPort !== undefined && inboundMailDomain !== undefined

export const addressOfMail = (config: MailSettings, token: string): string | null =>
  takesMail(config) ? `${token}@${config.inboundMailDomain}` : null
