// Whether the console can be built here: where its bundler has no program for the platform, tests are skipped and say why.
const reason = await import('rolldown').then(
  () => false as const,
  (error: unknown) => `the bundler does not run on this platform: ${String(error)}`,
)

export const needsBundler = { skip: reason }
