// The exact versions of the peers. They are installed when they are measured and are never dependencies of Runyard.

export interface Peer {
  name: string
  /** The program that runs it, in this folder. */
  program: string
  packages: Record<string, string>
}

export const peers: Peer[] = [
  {
    name: 'Restate',
    program: 'restate.ts',
    packages: { '@restatedev/restate-server': '1.7.12', '@restatedev/restate-sdk': '1.17.2' },
  },
  { name: 'DBOS', program: 'dbos.ts', packages: { '@dbos-inc/dbos-sdk': '5.3.0' } },
  {
    name: 'Mastra',
    program: 'mastra.ts',
    packages: { '@mastra/core': '1.71.0', '@mastra/pg': '1.27.1', zod: '4.6.7' },
  },
]
