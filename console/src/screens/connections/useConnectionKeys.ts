// The keys of the list of connections: j and k move from name to name, Enter opens as it does every link.
import { useRowKeys } from '../../parts/useRowKeys.ts'

export const useConnectionKeys = () =>
  useRowKeys({ where: 'Connections', next: 'Next connection', before: 'Connection before' })
