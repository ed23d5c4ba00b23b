// The ends of commands wake the engine. It reads them in its next turn: the writer of the ends waits for no lock of a deployment.
import { outcome } from '../../../background/outcome.ts'

const note = {
  name: 'note-deployment-ends',
  text: 'UPDATE deployment_devices SET unread = true WHERE command_id = ANY($1::uuid[])',
}

export const deploymentEnds = outcome({
  command: 'any',
  origins: ['deployment'],
  async apply(transaction, ended) {
    await transaction.query({ ...note, values: [ended.map(({ id }) => id)] })
    return {}
  },
})
