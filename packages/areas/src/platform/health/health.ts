import { implement } from '../../operation.ts'
import { health as contract } from './health.contract.ts'

export default implement(contract, {
  async get({ services }) {
    return { status: 'ok' as const, version: services.settings.version }
  },
})
