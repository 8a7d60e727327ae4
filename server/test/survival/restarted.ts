// A service that is killed and started again at the same port, and clients of it that do not know.
import { Runyard } from '../../../sdk/src/index.ts'
import { freePort, startService, type Service, type StartOptions } from './processes.ts'

/** A service at one port, over all its restarts. */
export class Restarted {
  kills = 0
  #service: Service
  readonly #options: StartOptions

  private constructor(options: StartOptions, service: Service) {
    this.#options = options
    this.#service = service
  }

  static async start({ env, ...options }: StartOptions): Promise<Restarted> {
    const fixed = { ...options, env: { ...env, PORT: String(await freePort()) } }
    return new Restarted(fixed, await startService(fixed))
  }

  get port(): number {
    return Number(new URL(this.#service.baseUrl).port)
  }

  client(more: object = {}): Runyard {
    const { key, baseUrl } = this.#service
    return new Runyard({ apiKey: key, baseUrl, maxRetries: 20, ...more })
  }

  async kill(): Promise<void> {
    this.kills += 1
    await this.#service.stop('SIGKILL')
  }

  async restart(): Promise<void> {
    this.#service = await startService(this.#options)
  }

  stop(): Promise<unknown> {
    return this.#service.stop('SIGINT')
  }
}
