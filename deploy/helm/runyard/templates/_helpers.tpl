{{/* The name of everything, as short as names of services must be. */}}
{{- define "runyard.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if contains $name .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "runyard.selector" -}}
app.kubernetes.io/name: {{ default .Chart.Name .Values.nameOverride }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "runyard.labels" -}}
{{ include "runyard.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "runyard.image" -}}
{{- printf "%s:%s" (required "Set image.repository: there is no public image of Runyard. deploy/docker/Dockerfile builds one." .Values.image.repository) (default .Chart.AppVersion .Values.image.tag) -}}
{{- end -}}

{{- define "runyard.secret" -}}
{{- required "Set existingSecret to the name of a Secret with DATABASE_URL and RUNYARD_ENCRYPTION_KEY." .Values.existingSecret -}}
{{- end -}}

{{- define "runyard.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "runyard.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{/* Nothing in a container may be more than it needs to be. The dictionary has: root, bubblewrap. */}}
{{- define "runyard.containerSecurity" -}}
allowPrivilegeEscalation: false
privileged: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- if .bubblewrap }}
# bubblewrap mounts a /proc of its own, which the kernel refuses while parts of ours are masked
procMount: Unmasked
{{- end }}
{{- end -}}

{{/* Where settings come from. The dictionary has: root, extraEnv. */}}
{{- define "runyard.envFrom" -}}
- secretRef:
    name: {{ include "runyard.secret" .root }}
{{- with .root.Values.extraEnvFrom }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "runyard.env" -}}
{{- range $name, $value := .root.Values.config }}
- name: {{ $name }}
  value: {{ $value | toString | quote }}
{{- end }}
{{- with .root.Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- with .extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* A deployment of processes with one role. The dictionary has: root, role, values, bubblewrap, autoscaled. */}}
{{- define "runyard.deployment" -}}
{{- $root := .root -}}
{{- $values := .values -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "runyard.fullname" $root }}-{{ .role }}
  labels:
    {{- include "runyard.labels" $root | nindent 4 }}
    app.kubernetes.io/component: {{ .role }}
spec:
  {{- if not .values.autoscaling.enabled }}
  replicas: {{ $values.replicas }}
  {{- end }}
  revisionHistoryLimit: 5
  strategy:
    type: RollingUpdate
    rollingUpdate:
      maxUnavailable: 0
      maxSurge: 1
  selector:
    matchLabels:
      {{- include "runyard.selector" $root | nindent 6 }}
      app.kubernetes.io/component: {{ .role }}
  template:
    metadata:
      labels:
        {{- include "runyard.labels" $root | nindent 8 }}
        app.kubernetes.io/component: {{ .role }}
        {{- with $root.Values.podLabels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      {{- with $root.Values.podAnnotations }}
      annotations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
    spec:
      serviceAccountName: {{ include "runyard.serviceAccount" $root }}
      automountServiceAccountToken: false
      enableServiceLinks: false
      {{- if .bubblewrap }}
      hostUsers: false
      {{- end }}
      {{- with $root.Values.imagePullSecrets }}
      imagePullSecrets:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      securityContext:
        {{- if .bubblewrap }}
        {{- toYaml (merge (dict "seccompProfile" (dict "type" "Unconfined")) (omit $root.Values.podSecurityContext "seccompProfile")) | nindent 8 }}
        {{- else }}
        {{- toYaml $root.Values.podSecurityContext | nindent 8 }}
        {{- end }}
      # the drain time, two intervals of readiness, and what work needs to stop at its end
      terminationGracePeriodSeconds: {{ add $root.Values.drainSeconds (mul 2 $root.Values.readinessPeriodSeconds) 10 }}
      topologySpreadConstraints:
        - maxSkew: 1
          topologyKey: topology.kubernetes.io/zone
          whenUnsatisfiable: {{ $values.spreadOverZones }}
          labelSelector:
            matchLabels:
              {{- include "runyard.selector" $root | nindent 14 }}
              app.kubernetes.io/component: {{ .role }}
        - maxSkew: 1
          topologyKey: kubernetes.io/hostname
          whenUnsatisfiable: ScheduleAnyway
          labelSelector:
            matchLabels:
              {{- include "runyard.selector" $root | nindent 14 }}
              app.kubernetes.io/component: {{ .role }}
      {{- with $values.nodeSelector }}
      nodeSelector:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with $values.tolerations }}
      tolerations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with $values.affinity }}
      affinity:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      containers:
        - name: runyard
          image: {{ include "runyard.image" $root | quote }}
          imagePullPolicy: {{ $root.Values.image.pullPolicy }}
          securityContext:
            {{- include "runyard.containerSecurity" . | nindent 12 }}
          ports:
            - name: http
              containerPort: 4700
          envFrom:
            {{- include "runyard.envFrom" . | nindent 12 }}
          env:
            {{- include "runyard.env" (dict "root" $root "extraEnv" $values.extraEnv) | nindent 12 }}
            - name: RUNYARD_ROLE
              value: {{ .role }}
            - name: RUNYARD_DRAIN_S
              value: {{ $root.Values.drainSeconds | toString | quote }}
            - name: RUNYARD_READINESS_INTERVAL_MS
              value: {{ mul 1000 $root.Values.readinessPeriodSeconds | toString | quote }}
            {{- if and $root.Values.zoneLabel (not (hasKey $root.Values.config "RUNYARD_ZONE")) }}
            # a pod without the label gets an empty text, which counts as no zone
            - name: RUNYARD_ZONE
              valueFrom:
                fieldRef:
                  fieldPath: metadata.labels['{{ $root.Values.zoneLabel }}']
            {{- end }}
            {{- if .bubblewrap }}
            - name: RUNYARD_SANDBOX
              value: bubblewrap
            {{- end }}
          # a first start migrates the database before it listens: an hour
          startupProbe:
            httpGet:
              path: /healthz
              port: http
            periodSeconds: 5
            timeoutSeconds: 5
            failureThreshold: 720
          # alive also while the database is away: a restart would not bring it back
          livenessProbe:
            httpGet:
              path: /healthz
              port: http
            periodSeconds: 10
            timeoutSeconds: 5
            failureThreshold: 6
          readinessProbe:
            httpGet:
              path: /readyz
              port: http
            periodSeconds: {{ $root.Values.readinessPeriodSeconds }}
            timeoutSeconds: 5
            failureThreshold: 1
          resources:
            {{- toYaml $values.resources | nindent 12 }}
          volumeMounts:
            - name: data
              mountPath: /var/lib/runyard
            - name: tmp
              mountPath: /tmp
            - name: shm
              mountPath: /dev/shm
      volumes:
        - name: data
          {{- if $values.dataSizeLimit }}
          emptyDir:
            sizeLimit: {{ $values.dataSizeLimit }}
          {{- else }}
          emptyDir: {}
          {{- end }}
        - name: tmp
          emptyDir:
            sizeLimit: {{ $values.tmpSizeLimit }}
        - name: shm
          emptyDir:
            medium: Memory
            sizeLimit: 256Mi
{{- end -}}

{{/* The dictionary has: root, role, values. */}}
{{- define "runyard.podDisruptionBudget" -}}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ include "runyard.fullname" .root }}-{{ .role }}
  labels:
    {{- include "runyard.labels" .root | nindent 4 }}
    app.kubernetes.io/component: {{ .role }}
spec:
  maxUnavailable: {{ .values.podDisruptionBudget.maxUnavailable }}
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels:
      {{- include "runyard.selector" .root | nindent 6 }}
      app.kubernetes.io/component: {{ .role }}
{{- end -}}
