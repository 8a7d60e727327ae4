// How each MCP client is set up for this server: the file or command it wants, in its own format.

interface McpClient {
  name: string
  /** Where the snippet goes, and what to know about it. */
  where: string
  snippet: string
}

const json = (value: object): string => JSON.stringify(value, null, 2)

/** Formats as their makers document them in 2026. The key is never part of a snippet: it comes from the environment or is asked for. */
export function mcpClients(baseUrl: string): McpClient[] {
  const url = `${baseUrl}/v2/mcp`
  return [
    {
      name: 'Claude Code',
      where:
        'In a terminal, in the project that shall have it, or with `--scope user` for all of them. The key goes into your own settings.',
      snippet: `claude mcp add --transport http runyard ${url} \\\n  --header "Authorization: Bearer $RUNYARD_API_KEY"`,
    },
    {
      name: 'Claude Desktop',
      where:
        'In `claude_desktop_config.json` (Settings, Developer, Edit config), then restart it. This file only starts local programs, so ' +
        '`mcp-remote` stands between; it needs Node.js.',
      snippet: json({
        mcpServers: {
          runyard: {
            command: 'npx',
            args: ['-y', 'mcp-remote', url, ...plainHttp(baseUrl), '--header', 'Authorization:${AUTHORIZATION}'],
            env: { AUTHORIZATION: 'Bearer <your key>' },
          },
        },
      }),
    },
    {
      name: 'Cursor',
      where: 'In `.cursor/mcp.json` of a project, or in `~/.cursor/mcp.json` for all of them.',
      snippet: json({
        mcpServers: { runyard: { url, headers: { Authorization: 'Bearer ${env:RUNYARD_API_KEY}' } } },
      }),
    },
    {
      name: 'VS Code',
      where:
        'In `.vscode/mcp.json`, or in your own by the command “MCP: Open User Configuration”. It asks for the key once and keeps it.',
      snippet: json({
        inputs: [{ type: 'promptString', id: 'runyard-key', description: 'Runyard API key', password: true }],
        servers: { runyard: { type: 'http', url, headers: { Authorization: 'Bearer ${input:runyard-key}' } } },
      }),
    },
    {
      name: 'Codex',
      where: 'In `~/.codex/config.toml`; it reads the key from the environment variable.',
      snippet: `[mcp_servers.runyard]\nurl = "${url}"\nbearer_token_env_var = "RUNYARD_API_KEY"`,
    },
  ]
}

/** mcp-remote accepts a URL without TLS only on this machine, or with a flag. */
function plainHttp(baseUrl: string): string[] {
  const { protocol, hostname } = new URL(baseUrl)
  return protocol === 'https:' || ['localhost', '127.0.0.1'].includes(hostname) ? [] : ['--allow-http']
}
