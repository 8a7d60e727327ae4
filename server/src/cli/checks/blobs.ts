// Checks the object store of the settings, by writing, reading and deleting an object, and whether bytes are in a store that no setting names.
import { openStores } from '../../drivers/blobs/stores.ts'
import { storedObjects } from '../../drivers/blobs/storedObjects.ts'
import { tryStore } from '../../drivers/blobs/tryStore.ts'
import { ok, problem, type Check } from './check.ts'

export const blobs: Check = {
  name: 'object store',
  async run({ config, database }) {
    const { objects, stores: names } = database ? await storedObjects(database.sql) : { objects: 0, stores: [] }
    const stores = openStores(config)
    const used = new Set([...names, ...(config.blobs === undefined ? [] : [config.blobs])])
    if (used.size === 0) return ok('not set up: bytes of files are stored in the database (RUNYARD_BLOBS)')
    for (const name of used) {
      try {
        await tryStore(stores.at(name))
      } catch (error) {
        const says = error instanceof Error ? error.message : String(error)
        return problem(`${name} cannot be used, so files there cannot be read or written: ${says}`)
      }
    }
    return ok(`${[...used].join(' and ')}: wrote, read and deleted an object; ${objects} files are there`)
  },
}
